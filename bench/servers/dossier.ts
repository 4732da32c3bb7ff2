import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { valueOf } from '../../src/adapters/sqlite/file/schema.js'
import { product } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from './end-process.js'
import type { RunningServer } from './running-server.js'

/** The API key of a bench's service. The service listens only on this machine and ends with the bench. */
const key = 'bench-key-of-no-other-use'

export interface DossierOptions {
  readonly name: string
  /** The working folder, which contains the data file. */
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  /** The program. Default: the built product. */
  readonly program?: string
  /** Arguments for Node. */
  readonly nodeArgs?: readonly string[]
  /** Whether the application log goes to /dev/null instead of the bench. */
  readonly unheard?: boolean
}

export interface Dossier extends RunningServer {
  /** The time from the start of the process until it listens, in milliseconds. */
  readonly startMs: number
  readonly stored: () => number
}

const listening = z.object({ address: z.string() })

/** Starts the built program as an operator would. */
export async function startDossier(options: DossierOptions, scope: Scope): Promise<Dossier> {
  const { name, folder, unheard = false } = options
  const begun = performance.now()
  const port = unheard ? await freePort() : 0
  const child = launch(options, port)
  await scope.own(async () => {
    await endProcess(child)
  })
  const origin = unheard ? await answering(child, port) : await logged(child)
  const startMs = performance.now() - begun
  return {
    name,
    origin,
    key,
    pid: child.pid ?? 0,
    startMs,
    stored: () => factsIn(dataFile(folder)),
    end: async () => {
      const { code, signal } = await endProcess(child)
      if (code !== 0) throw new Error(`${name} ended with ${String(code ?? signal)}`)
    },
  }
}

export function dataFile(folder: string): string {
  return `${folder}/dossier.db`
}

function launch(options: DossierOptions, port: number): ChildProcess {
  const { folder, env, program = product, nodeArgs = [], unheard = false } = options
  const args = [...nodeArgs, program]
  return spawn(process.execPath, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      STORE_URL: `sqlite:${dataFile(folder)}`,
      API_KEY: key,
      ...env,
    },
    stdio: ['ignore', unheard ? 'ignore' : 'pipe', 'inherit'],
  })
}

/** Returns the address in the first log line that has one. Reads and drops all further lines. */
function logged(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    child.once('exit', () => {
      failed(new Error('the service ended before it listened'))
    })
    if (child.stdout === null) throw new TypeError('no output')
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { data } = listening.safeParse(JSON.parse(line))
      if (data !== undefined) found(data.address)
    })
  })
}

async function answering(child: ChildProcess, port: number): Promise<string> {
  const origin = `http://127.0.0.1:${String(port)}`
  while (child.exitCode === null) {
    const alive = await fetch(`${origin}/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (alive) return origin
    await pause(10)
  }
  throw new Error('the service ended before it listened')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  server.close()
  await once(server, 'close')
  if (bound === null || typeof bound === 'string') throw new TypeError('not a port')
  return bound.port
}

/** Counts the facts in a file that no service has open. */
export function factsIn(path: string): number {
  const db = openDatabase(path, { readOnly: true })
  try {
    return Number(valueOf(db, 'SELECT count(*) FROM facts'))
  } finally {
    db.close()
  }
}
