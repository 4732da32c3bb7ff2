import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { finished } from 'node:stream'

/** `draining`: serving, but not ready: load balancers send new requests elsewhere. */
type LifecycleState = 'serving' | 'draining' | 'closing'

/** How long kept-alive connections stay open after the last reply, in milliseconds. */
const lingerMs = 250

/** Where the service is in its life, and how it stops: gracefully. */
export class Lifecycle {
  state: LifecycleState = 'serving'
  /** Why the store takes nothing more from this process, which ends because of it. */
  storeLost: string | undefined
  /** Requests that have no reply yet. */
  unanswered = 0
  private reportIdle: () => void = () => undefined
  private readonly closingListeners: (() => void)[] = []

  /** Refuses new requests while closing, but for routes in `answered`. Before other hooks. */
  watch(server: FastifyInstance, answered: ReadonlySet<string | undefined>): void {
    server.addHook('onRequest', (request, _reply, done) => {
      this.unanswered += 1
      const refused = this.state === 'closing' && !answered.has(request.routeOptions.url)
      done(refused ? plainFault('shutting_down') : undefined)
    })
    server.addHook('onSend', (request, reply, _payload, done) => {
      if (this.state === 'closing') reply.header('Connection', 'close')
      afterWholeRequest(request, reply, () => {
        this.unanswered -= 1
        if (this.unanswered === 0) this.reportIdle()
        done()
      })
    })
  }

  /** Calls `listener` when the service begins to close: a reply without an end is to end then. */
  whenClosing(listener: () => void): void {
    this.closingListeners.push(listener)
  }

  /**
   * Stops listening, answers what is in flight, and ends all connections. Until then, and a moment
   * longer, kept-alive connections stay open: a request that is on its way gets its 503, where a closed
   * connection would leave its sender guessing.
   */
  async close(server: FastifyInstance): Promise<void> {
    this.state = 'closing'
    stopListening(server.server)
    for (const listener of this.closingListeners) listener()
    await this.idle()
    if (await hasConnections(server.server)) {
      await pause(lingerMs)
      await this.idle()
    }
    await server.close()
  }

  private idle(): Promise<void> {
    return new Promise((resolve) => {
      this.reportIdle = resolve
      if (this.unanswered === 0) resolve()
    })
  }
}

/**
 * Closes the listening socket alone: `close` of an HTTP server closes idle connections too, and with
 * them requests on their way. A second server is given the same socket to listen on, and closes it.
 */
function stopListening(server: Server): void {
  if (server.listening) createServer().listen(server).close()
}

function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => {
      if (error === null) resolve(count > 0)
      else reject(error)
    })
  })
}

/** Connections beyond this queue would try again after seconds. */
const maxWaiting = 4_096

/** Listens, at a free port where it is 0, and resolves with where: `http://127.0.0.1:3000`. */
export async function listen(
  server: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await server.listen({ host, port, backlog: maxWaiting })
  return originOf(server.server.address(), host)
}

function originOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') return `http://${host}`
  const { address, port } = bound
  return `http://${address.includes(':') ? `[${address}]` : address}:${String(port)}`
}

/**
 * Calls back when the reply may be sent: at once, or when the request has been read to its end, within
 * the time that it has anyway. A client that has its reply before that may lose
 * - the reply, where the connection ends with it: it is closed at once, and unread bytes make that a
 *   reset, which overtakes what was sent (where it is kept alive, Node reads on behind the reply);
 * - the next request, where this one wants an upgrade: Node goes on without one, and drops what it
 *   reads together with the end of the body.
 */
export function afterWholeRequest(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  send: () => void,
): void {
  const ends = !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close'
  if (request.complete || !(ends || 'upgrade' in request.headers)) {
    send()
    return
  }
  finished(request.resume(), send)
}
