import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Skipped } from './skipped.js'
import { benchFolder, root } from './places.js'

/** Says which `package.json` the bench's packages were installed from. */
const stamp = `${benchFolder}node_modules/.installed`
const driver = `${benchFolder}node_modules/sqlite3/build/Release/node_sqlite3.node`

/**
 * The bench's own packages, when they are missing or others; then the peers are compiled. Scripts of
 * packages are not run: one package of all has one, and takes a compiler or a download; see
 * `needSqliteDriver`.
 */
export async function preparePeers(say: (line: string) => void): Promise<void> {
  const wanted = ['package.json', 'package-lock.json'].map((name) =>
    readFileSync(benchFolder + name),
  )
  const digest = createHash('sha256').update(Buffer.concat(wanted)).digest('hex')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
    say('installing the packages of bench/')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', '--prefix', benchFolder, ...flags])
    writeFileSync(stamp, digest)
  }
  await run(process.execPath, [`${root}node_modules/@typescript/native/bin/tsc`, '-p', benchFolder])
}

/**
 * The binary of the `sqlite3` package: downloaded from where its makers keep it, or compiled, which
 * takes minutes; that is why `quick` does without. Throws `Skipped` when it cannot be had.
 */
export async function needSqliteDriver(quick: boolean, say: (line: string) => void): Promise<void> {
  if (existsSync(driver)) return
  const command = 'npm rebuild --prefix bench sqlite3'
  if (quick) throw new Skipped(`sqlite3 has no binary yet: ${command}`)
  say('building the driver of emmett-sqlite')
  try {
    await run('npm', ['rebuild', '--prefix', benchFolder, '--loglevel=error', 'sqlite3'])
  } catch (error) {
    throw new Skipped(`sqlite3 has no binary, and \`${command}\` made none: ${String(error)}`)
  }
  if (!existsSync(driver)) throw new Skipped(`sqlite3 has no binary: its script was not run`)
}

/** What it prints, if anything, goes to standard error: the table has standard output. */
function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`${command} ended with ${String(code)}`))
    })
  })
}
