import type { ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { PhaseHolder } from './phase.js'

/** How long a client may take to send what it began to send before it knew, in milliseconds. */
const lingerMs = 250

/** Follows the requests under way, so that a stop can wait for the last reply. */
export class Drain {
  private readonly underWay = new Set<ServerResponse>()
  /** Replies that wait for an earlier one on their connection. */
  private readonly inTurn = new WeakMap<Socket, Set<ServerResponse>>()
  private waiting: (() => void)[] = []

  constructor(
    private readonly server: FastifyInstance,
    private readonly holder: PhaseHolder,
  ) {
    server.addHook('onRequest', ({ raw: { socket } }, { raw }, done) => {
      this.underWay.add(raw)
      const queue = raw.socket === null ? this.queueOn(socket) : undefined
      queue?.add(raw)
      raw.once('close', () => {
        queue?.delete(raw)
        this.forget(raw)
      })
      done()
    })
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
    for (const reply of this.underWay) {
      if (!reply.headersSent) reply.setHeader('Connection', 'close')
    }
    await this.idle()
    if (await this.hasConnections()) {
      await pause(lingerMs)
      await this.idle()
    }
    this.server.server.closeAllConnections()
    await this.server.close()
  }

  /** Node gives a reply its connection when its turn comes: before, it never hears that it is gone. */
  private queueOn(socket: Socket): Set<ServerResponse> {
    const known = this.inTurn.get(socket)
    if (known !== undefined) return known
    const queue = new Set<ServerResponse>()
    this.inTurn.set(socket, queue)
    socket.once('close', () => {
      for (const reply of queue) this.forget(reply)
    })
    return queue
  }

  private forget(reply: ServerResponse): void {
    this.underWay.delete(reply)
    this.reportIdle()
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
