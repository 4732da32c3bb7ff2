import { Server as NetServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { PhaseHolder } from './phase.js'

/** Counts the requests under way, so that a stop can wait for the last reply. */
export class Drain {
  private inFlight = 0
  private waiting: (() => void)[] = []

  constructor(
    private readonly server: FastifyInstance,
    private readonly holder: PhaseHolder,
  ) {
    server.addHook('onRequest', (_request, reply, done) => {
      this.inFlight += 1
      reply.raw.once('close', this.finished)
      done()
    })
  }

  /** Requests that have no reply yet. */
  get unanswered(): number {
    return this.inFlight
  }

  /**
   * Stops listening, lets what is in flight finish and be answered, and hangs up. Until then
   * connections that are kept alive stay open: a request that comes over one is told to go elsewhere,
   * where a cut connection would leave its sender guessing.
   */
  async close(): Promise<void> {
    this.holder.phase = 'closing'
    NetServer.prototype.close.call(this.server.server)
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve)
      this.reportIdle()
    })
    this.server.server.closeAllConnections()
    await this.server.close()
  }

  private readonly finished = (): void => {
    this.inFlight -= 1
    this.reportIdle()
  }

  private reportIdle(): void {
    if (this.inFlight > 0) return
    for (const resolve of this.waiting.splice(0)) resolve()
  }
}
