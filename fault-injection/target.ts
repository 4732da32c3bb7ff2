import { setTimeout as pause } from 'node:timers/promises'

/** Where the service listens just now. Senders that lost it wait here for the next one. */
export class Target {
  private port: number | undefined
  private waiting: ((port: number | undefined) => void)[] = []
  private closed = false
  /** Whether connections may be cut: the service is being killed. */
  cutsExpected = false

  up(origin: string): void {
    if (this.closed) return
    this.port = Number(new URL(origin).port)
    this.cutsExpected = false
    this.release()
  }

  /** To be called before the service is killed. */
  down(): void {
    this.cutsExpected = true
    this.port = undefined
  }

  /** The service at this port takes no more: the next one is waited for. */
  leave(port: number): void {
    if (this.port === port) this.port = undefined
  }

  /** Nobody waits any longer. */
  close(): void {
    this.closed = true
    this.port = undefined
    this.release()
  }

  /** The port of a service that listens; undefined when there will be none. */
  ready(): Promise<number | undefined> {
    if (this.port !== undefined || this.closed) return Promise.resolve(this.port)
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** To be asked by whoever was not taken in: true when there will be no service any more. */
  async isOver(): Promise<boolean> {
    if ((await this.ready()) === undefined) return true
    await pause(10)
    return false
  }

  private release(): void {
    for (const resolve of this.waiting.splice(0)) resolve(this.port)
  }
}
