import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { benchFolder, root } from './places.js'

/** Records which `package.json` the installed packages of the bench belong to. */
const stamp = `${benchFolder}node_modules/.installed`

/**
 * Installs the bench's own packages when they are missing or out of date, then compiles the peers. Never runs
 * scripts of packages.
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

/** Runs a command. Its output goes to standard error, because standard output is for the table. */
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
