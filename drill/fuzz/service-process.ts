import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'

const listening = z.object({ address: z.url() })
const line = z.object({ level: z.number(), msg: z.string().optional() })
const errorLevel = 50

/** The program as it was built, in a process of its own. */
export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    /** Everything that it has printed. */
    readonly lines: readonly string[],
  ) {}

  /** Throws with what it printed when it ends before it listens. */
  static async start(
    folder: string,
    env: Readonly<Record<string, string>>,
  ): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [resolve('dist/main.js')], {
      cwd: folder,
      env: { PATH: process.env['PATH'], PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines: string[] = []
    const port = await new Promise<number>((found, failed) => {
      for (const input of [child.stdout, child.stderr]) {
        createInterface({ input }).on('line', (text) => {
          lines.push(text)
          const bound = text.startsWith('{')
            ? listening.safeParse(JSON.parse(text)).data
            : undefined
          if (bound !== undefined) found(Number(new URL(bound.address).port))
        })
      }
      child.once('error', failed)
      child.once('exit', () => {
        failed(new Error(`the service did not start:\n${lines.join('\n')}`))
      })
    })
    return new ServiceProcess(child, port, lines)
  }

  get runs(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** How it ended after being asked to: 0 when all is well. */
  async stop(): Promise<number | null> {
    if (!this.runs) return this.child.exitCode
    const ended = once(this.child, 'close')
    this.child.kill('SIGTERM')
    await ended
    return this.child.exitCode
  }

  /** Lines of level error or fatal, and lines that are no entry of its log. */
  get complaints(): readonly string[] {
    return this.lines.filter((text) => {
      if (!text.startsWith('{')) return true
      return (line.safeParse(JSON.parse(text)).data?.level ?? errorLevel) >= errorLevel
    })
  }
}
