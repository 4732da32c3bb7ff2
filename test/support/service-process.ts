import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { nodeOptions, startedProgram } from './started-programs.js'

/** The path of the released program. */
export const program = resolve('dist/main.js')

let startedService = startedProgram('main')

/** Makes later starts run another file. `startReleasedProgram` calls it for the duration of a suite. */
export function startFile(file: string): void {
  startedService = file
}

const running = new Set<ChildProcess>()

/** Kills every running service that was started here, except shared ones. */
export function killServices(): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Thrown when the program ended before it listened. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'

  constructor(
    readonly ending: Ending,
    /** All lines that the program printed. */
    readonly lines: readonly string[],
  ) {
    super(`the service did not start:\n${lines.join('\n')}`)
  }
}

/** The built program, started as a separate process in its own folder. */
export class StartedService {
  /** Resolves when the program has ended and `lines` has all its output. */
  readonly ended: Promise<Ending>
  private readonly waiting = new Set<() => void>()

  private constructor(
    private readonly process: ChildProcess,
    readonly folder: string,
    readonly origin: string,
    /** The lines printed so far. */
    readonly lines: string[],
  ) {
    this.ended = endOf(process)
    readLines(process, () => {
      for (const look of this.waiting) look()
    })
  }

  /** Starts the program. Throws `NotStarted`. */
  static async start(
    folder: string,
    env: Readonly<Record<string, string>> = {},
    prefix: readonly string[] = [],
  ): Promise<StartedService> {
    const child = launch(folder, env, 'pipe', prefix)
    const lines: string[] = []
    const address = await new Promise<string>((found, failed) => {
      readLines(child, (line) => {
        lines.push(line)
        const bound = addressIn(line)
        if (bound !== undefined) found(bound)
      })
      child.once('error', failed)
      void endOf(child).then((ending) => {
        failed(new NotStarted(ending, lines))
      })
    })
    return new StartedService(child, folder, address, lines)
  }

  /** The id of the started process, which is the tracer's when there is a command prefix. */
  get pid(): number {
    return this.process.pid ?? 0
  }

  get port(): number {
    return Number(new URL(this.origin).port)
  }

  /** Whether the process is still running. */
  get runs(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null
  }

  get key(): string {
    const path = join(this.folder, 'data', 'first-key')
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  }

  get database(): string {
    return join(this.folder, 'data', 'dossier.db')
  }

  /** Resolves with the first printed line that passes the test, also if it was printed before the call. */
  line(wanted: (line: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.lines.find(wanted)
        if (found === undefined) return
        this.waiting.delete(look)
        resolve(found)
      }
      this.waiting.add(look)
      look()
    })
  }

  /** Excludes the service from `killServices`. Its owner must end it. */
  share(): this {
    running.delete(this.process)
    return this
  }

  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }

  /** Ends the process and waits for its end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.signal(signal)
    return this.ended
  }

  post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(`${this.origin}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    })
  }

  createEntity(id: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.post('/entities', { external_id: id }, headers)
  }
}

/** Runs the program until it ends by itself. */
export async function runToEnd(
  folder: string,
  env: Readonly<Record<string, string>>,
  prefix: readonly string[] = [],
): Promise<Ending & { readonly lines: readonly string[] }> {
  const child = launch(folder, env, 'pipe', prefix)
  const lines: string[] = []
  readLines(child, (line) => lines.push(line))
  return { ...(await endOf(child)), lines }
}

/**
 * Starts the program without waiting for it. The read model is off unless `env` enables it, because most tests only
 * write. `log` is the destination of standard output.
 */
export function launch(
  folder: string,
  env: Readonly<Record<string, string>>,
  log: number | 'pipe' = 'pipe',
  prefix: readonly string[] = [],
): ChildProcess {
  const words = [...prefix, process.execPath, ...nodeOptions, startedService]
  const [command = process.execPath, ...args] = words
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', READ_MODEL: 'off', ...env },
    stdio: ['ignore', log, 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function readLines(child: ChildProcess, take: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', take)
  }
}

/** Waits for the end of the output. At the process's exit, the last output may not have been read yet. */
function endOf(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal })
    })
  })
}

function addressIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined
  const entry: unknown = JSON.parse(line)
  if (typeof entry !== 'object' || entry === null || !('address' in entry)) return undefined
  return typeof entry.address === 'string' ? entry.address : undefined
}
