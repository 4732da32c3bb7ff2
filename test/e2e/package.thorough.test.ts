import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { z } from 'zod'
import { temporaryFolders } from '../support/temporary-folder.js'

const run = promisify(execFile)
const folders = temporaryFolders(afterAll)

const packed = z.tuple([
  z.object({
    filename: z.string(),
    size: z.number(),
    files: z.array(z.object({ path: z.string() })),
  }),
])

/** The package, and an empty folder into which it was installed. */
let files: readonly string[]
let size: number
let messages: string
let place: string
let service: ChildProcess | undefined

/** npm sets variables for the scripts that it runs, and another npm would take them for its own. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|npm_config_local_prefix|INIT_CWD|NODE_OPTIONS)/.test(name),
  ),
)

beforeAll(async () => {
  const folder = folders()
  const words = ['pack', '--json', '--pack-destination', folder]
  const { stdout, stderr } = await run('npm', words, { env })
  messages = stderr
  const [one] = packed.parse(JSON.parse(stdout.slice(stdout.indexOf('[\n'))))
  files = one.files.map(({ path }) => path)
  size = one.size
  place = join(folder, 'empty')
  mkdirSync(place)
  const tarball = join(folder, one.filename)
  const options = ['--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', tarball, ...options], { cwd: place, env })
})

afterAll(() => {
  if (service?.exitCode !== null || service.signalCode !== null) return
  if (service.pid !== undefined) process.kill(-service.pid, 'SIGKILL')
})

describe('the package', () => {
  it('has at most 700 files and 3 MB, and no source, source map or test', () => {
    expect(files.length).toBeLessThanOrEqual(700)
    expect(size).toBeLessThanOrEqual(3_000_000)
    expect(files.filter((path) => /\.map$|(?<!\.d)\.tsx?$|^(src|test|tools)\//.test(path))).toEqual(
      [],
    )
    expect(files.filter((path) => path.startsWith('dist/.'))).toEqual([])
  })

  it('is packed without another build, because no source changed after the build of the tests', () => {
    expect(messages).not.toContain('Building')
  })

  it('has its programs, the licence, the changes, and each page of docs that the README links to', () => {
    const links = [...readFileSync('README.md', 'utf8').matchAll(/\]\((docs\/[^)#]*\.\w+)/g)]
    const pages = links.map(([, path = '']) => path)
    expect(pages.length).toBeGreaterThan(5)
    const others = ['README.md', 'LICENSE', 'CHANGELOG.md', 'dist/main.js', 'dist/dossier.js']
    expect(files).toEqual(expect.arrayContaining([...pages, ...others]))
  })
})

describe('the package, installed into an empty folder', () => {
  it('starts the service with npx dossier start, which stores and stops', async () => {
    const started = spawn('npx', ['dossier', 'start'], {
      cwd: place,
      env: { ...env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
      // A process group of its own, to signal npx and the service as a terminal does.
      detached: true,
    })
    service = started
    const origin = await new Promise<string>((resolve, reject) => {
      createInterface(started.stdout).on('line', (line) => {
        const [, address] = /"address":"([^"]*)"/.exec(line) ?? []
        if (address !== undefined) resolve(address)
      })
      started.once('exit', () => {
        reject(new Error('the service did not start'))
      })
    })
    const key = readFileSync(join(place, 'data/first-key'), 'utf8').trim()
    const headers = { authorization: `Bearer ${key}` }
    const created = await fetch(`${origin}/entities`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"external_id":"ada"}',
    })
    expect(created.status).toBe(201)
    const position = created.headers.get('position') ?? ''
    const read = await fetch(`${origin}/entities/ada`, { headers: { ...headers, position } })
    expect(read.status).toBe(200)
    expect((await fetch(`${origin}/console`)).status).toBe(200)
    const ended = new Promise((resolve) => started.once('close', resolve))
    process.kill(-(started.pid ?? 0), 'SIGTERM')
    await ended
    expect(existsSync(join(place, 'data/dossier.db'))).toBe(true)
  })

  it('has every command, and the demo with its orders', async () => {
    const { stdout } = await run('npx', ['dossier', 'keys', 'list'], { cwd: place, env })
    expect(stdout).toContain('"first-key"')
    const installed = join(place, 'node_modules/dossier')
    for (const command of ['start', 'keys', 'import', 'copy', 'audit', 'vacuum', 'demo']) {
      const words = [join(installed, 'dist/dossier.js'), command, '--help']
      expect((await run(process.execPath, words, { env })).stdout).toContain(`dossier ${command}`)
    }
    expect(existsSync(join(installed, 'dist/demo/demo.js'))).toBe(true)
    expect(existsSync(join(installed, 'examples/online-retail/orders.csv.gz'))).toBe(true)
  })

  it('gives programs its client and its subscription, with their types', async () => {
    writeFileSync(join(place, 'package.json'), '{"type":"module"}')
    const program = `import { Dossier } from 'dossier/client'
import { FactSubscription, type Fact, type Position } from 'dossier/subscription'
export const dossier: Dossier = new Dossier({ url: 'http://127.0.0.1:1', key: 'a-key' })
export const nameOf = (fact: Fact): string => fact.type
export const follow = (from: Position) => [from.commit, FactSubscription.name]
// @ts-expect-error A fact has no such member, so its type is known.
export const wrong = (fact: Fact): unknown => fact.colour
`
    writeFileSync(join(place, 'program.ts'), program)
    const compiler = resolve('node_modules/@typescript/native/bin/tsc')
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck']
    const words = [compiler, ...options, '--types', '', '--lib', 'es2023,dom', 'program.ts']
    const checked = await run(process.execPath, words, { cwd: place }).catch(
      (error: unknown) => error,
    )
    expect(checked).toMatchObject({ stdout: '' })
    const { stdout } = await run(
      process.execPath,
      [
        '--eval',
        "import('./program.js').then(({ follow }) => console.log(follow({ commit: 1n })))",
      ],
      { cwd: place },
    )
    expect(stdout).toBe("[ 1n, 'FactSubscription' ]\n")
  })
})
