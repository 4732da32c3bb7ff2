import type { ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { isLatest, owesReply } from './parser-faults.js'
import type { PhaseHolder } from './lifecycle.js'
import { Roster } from './roster.js'

/** How long a client may take to send what it began to send before it knew, in milliseconds. */
const lingerMs = 250

/** Follows the requests under way, so that a stop can wait for the last reply. */
export class Drain {
  private readonly underWay = new Roster<ServerResponse>()
  private waiting: (() => void)[] = []

  constructor(
    private readonly server: FastifyInstance,
    private readonly holder: PhaseHolder,
  ) {
    server.addHook('onRequest', (_request, { raw }, done) => {
      const place = this.underWay.add(raw)
      raw.once('close', () => {
        if (this.underWay.remove(place, raw)) this.reportIdle()
      })
      done()
    })
    server.server.on('connection', (socket) => {
      socket.once('close', () => {
        if (owesReply(socket)) this.forgetRepliesOn(socket)
      })
    })
  }

  /**
   * A reply that waits behind another is not joined to its socket yet and hears nothing of its end: it
   * would be waited for, and kept, for ever.
   */
  private forgetRepliesOn(socket: Socket): void {
    this.underWay.removeEach(({ req }) => req.socket === socket)
    this.reportIdle()
  }

  /** Requests that have no reply yet. */
  get unanswered(): number {
    return this.underWay.size
  }

  /**
   * Stops listening, lets what is in flight finish and be answered, and hangs up. Until then, and a
   * moment longer, connections that are kept alive stay open: a request that comes over one is told to
   * go elsewhere, where a cut connection would leave its sender guessing.
   */
  async close(): Promise<void> {
    this.holder.phase = 'closing'
    NetServer.prototype.close.call(this.server.server)
    for (const reply of this.underWay.members()) {
      // The last one of each connection: replies that are owed behind it would be lost.
      if (!reply.headersSent && isLatest(reply)) reply.setHeader('Connection', 'close')
    }
    await this.idle()
    if (await this.hasConnections()) {
      await pause(lingerMs)
      await this.idle()
    }
    this.server.server.closeAllConnections()
    await this.server.close()
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.reportIdle()
    })
  }

  private reportIdle(): void {
    if (this.underWay.size > 0) return
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  private hasConnections(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.server.server.getConnections((error, count) => {
        if (error === null) resolve(count > 0)
        else reject(error)
      })
    })
  }
}
