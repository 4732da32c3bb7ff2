import { setTimeout as pause } from 'node:timers/promises'
import { RawConnection } from '../test/support/raw-connection.js'
import type { Ledger } from './ledger.js'

const everyMs = 100
const maxMs = 30_000

/** Requests the health of a service continuously, on open and on new connections. */
export class HealthWatch {
  /** The longest latency on connections that were already open, in milliseconds. */
  maxKeptMs = 0
  /** The longest latency on new connections, including the time to connect, in milliseconds. */
  maxNewMs = 0
  asked = 0
  notReady = 0
  private stopping = false
  private readonly loops: readonly Promise<void>[]

  constructor(
    private readonly port: number,
    private readonly ledger: Ledger,
  ) {
    this.loops = [this.keep('/health/live'), this.keep('/health/ready'), this.renew('/health/live')]
  }

  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all(this.loops)
  }

  private async keep(path: string): Promise<void> {
    let connection = await this.open()
    while (!this.stopping) {
      if (connection?.closed !== false) connection = await this.open()
      const ms = await this.ask(path, connection, performance.now())
      this.maxKeptMs = Math.max(this.maxKeptMs, ms)
      await pause(everyMs)
    }
    connection?.cut()
  }

  private async renew(path: string): Promise<void> {
    while (!this.stopping) {
      const begun = performance.now()
      const connection = await this.open()
      const ms = await this.ask(path, connection, begun)
      this.maxNewMs = Math.max(this.maxNewMs, ms)
      connection?.cut()
      await pause(everyMs)
    }
  }

  private async open(): Promise<RawConnection | undefined> {
    try {
      return await RawConnection.open(this.port, { silenceMs: maxMs })
    } catch {
      // The caller reports the missing response.
      return undefined
    }
  }

  private async ask(
    path: string,
    connection: RawConnection | undefined,
    begun: number,
  ): Promise<number> {
    this.asked += 1
    try {
      if (connection === undefined) throw new Error('no connection')
      connection.send(`GET ${path} HTTP/1.1\r\nHost: dossier\r\n\r\n`)
      const { status } = await connection.reply()
      this.judge(path, status)
    } catch {
      this.ledger.remark(`${path} had no answer`)
    }
    return performance.now() - begun
  }

  private judge(path: string, status: number): void {
    if (status === 503 && path === '/health/ready') this.notReady += 1
    else if (status !== 200) this.ledger.remark(`${path} was answered ${String(status)}`)
  }
}
