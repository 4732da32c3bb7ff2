import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connectionStringOf } from './eventstoredb/event-store-double.js'
import { TlsFolder } from './tls-folder.js'

const program = fileURLToPath(new URL('./eventstoredb/run-double.js', import.meta.url))

export type DoubleCommand =
  | 'restart'
  | 'drop-connections'
  | 'drop-subscriptions'
  | 'refuse-connections'
  | 'listen'
  | 'scavenge'

/** Runs the double of EventStoreDB as a separate process, which takes commands over its standard input. */
export class DoubleProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly lines: AsyncIterator<string>,
    readonly connectionString: string,
    private readonly tls: TlsFolder | undefined,
  ) {}

  static start(): Promise<DoubleProcess> {
    return this.spawned(undefined)
  }

  static startOverTls(): Promise<DoubleProcess> {
    return this.spawned(new TlsFolder())
  }

  private static async spawned(tls: TlsFolder | undefined): Promise<DoubleProcess> {
    const args = tls === undefined ? [] : ['0', tls.keyFile, tls.certFile]
    const child = spawn(process.execPath, [program, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const { port } = (await nextOf(lines)) as { readonly port: number }
    return new DoubleProcess(child, lines, connectionStringOf(port, tls), tls)
  }

  /** Sends a command and resolves when it is done. Only one command can run at a time. */
  async tell(command: DoubleCommand, details: object = {}): Promise<void> {
    this.child.stdin?.write(`${JSON.stringify({ do: command, ...details })}\n`)
    const answer = await nextOf(this.lines)
    if (answer['done'] !== command) throw new Error(JSON.stringify(answer))
  }

  /** Freezes the process: its connections stay open and nothing answers. */
  freeze(): void {
    this.child.kill('SIGSTOP')
  }

  thaw(): void {
    this.child.kill('SIGCONT')
  }

  async end(): Promise<void> {
    this.tls?.remove()
    const exited = once(this.child, 'exit')
    if (this.child.exitCode !== null) return
    this.child.kill('SIGKILL')
    await exited
  }
}

async function nextOf(lines: AsyncIterator<string>): Promise<Record<string, unknown>> {
  const line: unknown = (await lines.next()).value
  return JSON.parse(String(line)) as Record<string, unknown>
}
