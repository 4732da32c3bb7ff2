import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { z } from 'zod'
import { shellQuoted } from './read-answers.js'

/** A service that runs as a child process of this program. */
export interface OwnService {
  readonly url: URL
  /** The command that starts the service again with this data and port, from the same folder. */
  readonly startAgain: string
  /** The path of the file with the first key. */
  readonly keyFile: string
  /** Returns a key that can only read. Each run on the same data returns the same key. */
  readKey(): Promise<string>
  /** Resolves when the service has ended, with a description such as "exit code 1" or "SIGKILL". */
  readonly ended: Promise<string>
  /** Stops the service and waits for its end. */
  stop(): Promise<void>
}

/** The service ended unexpectedly. */
export class ServiceDied extends Error {
  readonly code = 'service_died'
  override readonly name = 'ServiceDied'

  constructor(how: string) {
    super(`the service died (${how})`)
  }
}

const logLine = z.object({ level: z.number(), msg: z.string(), address: z.string().optional() })

/** Pino's level for warnings. Log lines of this level and above are printed. */
const warning = 40

/** Customers can be found by their country, which is the only property of a customer in the orders. */
const searchProperties = '/country'

/**
 * Starts the service in the folder `programs`, with its data and its keys in `folder`. Listens on `PORT`, by
 * default on any free port. Throws `ServiceDied` when the service ends before it listens.
 */
export async function startOwnService(programs: string, folder: string): Promise<OwnService> {
  const keep = (name: string): string => resolve(folder, name)
  const keysFile = keep('api-keys.json')
  const child = spawn(
    process.execPath,
    ['--import', new URL('stop-with-parent.js', import.meta.url).href, join(programs, 'main.js')],
    {
      env: {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: process.env['PORT'] ?? '0',
        STORE_URL: `sqlite:${keep('dossier.db')}`,
        API_KEY: undefined,
        API_KEYS_FILE: keysFile,
        READ_MODEL: keep('read-model.db'),
        SEARCH_PROPERTIES: searchProperties,
        LOG_LEVEL: 'info',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // Detached, so that Ctrl-C reaches only this program, which then stops the service. A second signal would end
      // the service immediately.
      detached: true,
    },
  )
  const ended = endOf(child)
  const address = addressIn(child.stdout)
  const url = await Promise.race([
    address,
    ended.then((how) => Promise.reject(new ServiceDied(how))),
  ])
  return {
    url,
    startAgain: [
      `PORT=${url.port}`,
      `STORE_URL=${shellQuoted(`sqlite:${join(folder, 'dossier.db')}`)}`,
      `API_KEYS_FILE=${shellQuoted(join(folder, 'api-keys.json'))}`,
      `SEARCH_PROPERTIES=${searchProperties}`,
      'npx dossier start',
    ].join(' '),
    keyFile: keep('first-key'),
    readKey: () => readKeyIn(programs, keysFile, keep('read-key')),
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Adds a key when `file` has none. The running service accepts the key within two seconds. */
async function readKeyIn(programs: string, keysFile: string, file: string): Promise<string> {
  if (!existsSync(file)) {
    const program = join(programs, 'dossier.js')
    const words = [program, 'keys', 'create', '--name', 'console', '--scope', 'read']
    const env = { ...process.env, API_KEYS_FILE: keysFile }
    const { stdout } = await promisify(execFile)(process.execPath, words, { env })
    writeFileSync(file, stdout, { mode: 0o600 })
  }
  return readFileSync(file, 'utf8').trim()
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      resolve(signal ?? `exit code ${String(code)}`)
    })
  })
}

/** Returns the address in the log. Reads the log to its end, so that the service never waits for a reader. */
function addressIn(log: Readable | null): Promise<URL> {
  if (log === null) throw new TypeError('the log of the service is not piped')
  return new Promise((resolve) => {
    createInterface(log).on('line', (text) => {
      const line = logLine.safeParse(parsed(text)).data
      if (line === undefined) return
      if (line.msg === 'dossier is listening' && line.address !== undefined) {
        resolve(new URL(line.address))
      }
      if (line.level >= warning) process.stderr.write(`${text}\n`)
    })
  })
}

/** Parses a log line. Undefined for other lines, which are meant for people. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
