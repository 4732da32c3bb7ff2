import { setTimeout as pause } from 'node:timers/promises'

/** The address of the current service. Senders without a service wait here for the next one. */
export class Target {
  private port: number | undefined
  private waiting: ((port: number | undefined) => void)[] = []
  private closed = false
  /** Whether connections may be cut, because the service is being killed. */
  cutsExpected = false

  up(origin: string): void {
    if (this.closed) return
    this.port = Number(new URL(origin).port)
    this.cutsExpected = false
    this.release()
  }

  /** Must be called before the service is killed. */
  down(): void {
    this.cutsExpected = true
    this.port = undefined
  }

  /** Removes the service at this port, because it accepts no more requests. Senders wait for the next one. */
  leave(port: number): void {
    if (this.port === port) this.port = undefined
  }

  /** Ends the waiting of all senders. */
  close(): void {
    this.closed = true
    this.port = undefined
    this.release()
  }

  /** Returns the port of the listening service. Undefined when there will be none. */
  ready(): Promise<number | undefined> {
    if (this.port !== undefined || this.closed) return Promise.resolve(this.port)
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  /** Called by a sender whose connection was refused. Resolves with true when no service will follow. */
  async isOver(): Promise<boolean> {
    if ((await this.ready()) === undefined) return true
    await pause(10)
    return false
  }

  private release(): void {
    for (const resolve of this.waiting.splice(0)) resolve(this.port)
  }
}
