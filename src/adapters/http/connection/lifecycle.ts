import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { finished } from 'node:stream'

/** `draining`: the service answers requests, and tells load balancers to send new ones elsewhere. */
type LifecycleState = 'serving' | 'draining' | 'closing'

/** How long kept-alive connections stay open after the last reply, in milliseconds. */
const lingerMs = 250

/** The state of the service, and its graceful stop. */
export class Lifecycle {
  state: LifecycleState = 'serving'
  /** Why the store accepts nothing more from this process. The process ends because of it. */
  storeLost: string | undefined
  /** Requests that have no reply yet. */
  unanswered = 0
  private reportIdle: () => void = () => undefined
  private readonly closingListeners: (() => void)[] = []

  /** Refuses new requests while closing, except for the routes in `answered`. Call this before other hooks are added. */
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

  /** Calls `listener` when the service begins to close, so that endless replies can end. */
  whenClosing(listener: () => void): void {
    this.closingListeners.push(listener)
  }

  /**
   * Stops listening, answers the requests under way, and then ends all connections. Kept-alive connections stay
   * open for a moment longer: a request that arrives on one gets 503. On a closed connection its sender would not
   * know whether the request was stored.
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
 * Closes only the listening socket. `close` of an HTTP server would also close idle connections, and lose requests
 * that arrive on them. So a second server takes over the socket and closes it.
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

/** Connections that the system queues. A client beyond the queue connects again after seconds. */
const maxWaiting = 4_096

/** Another process listens on the port. */
class PortInUse extends Error {
  readonly code = 'port_in_use'
  override readonly name = 'PortInUse'
}

/**
 * Listens, and returns the origin: `http://127.0.0.1:3000`. Port 0 stands for any free port. Throws
 * `PortInUse`, or an error of listening.
 */
export async function listen(
  server: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  try {
    await server.listen({ host, port, backlog: maxWaiting })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    const message = `port ${String(port)} of ${host} is in use: stop the other process, or set PORT to a free port`
    throw new PortInUse(message, { cause: error })
  }
  return originOf(server.server.address(), host)
}

function originOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') return `http://${host}`
  const { address, port } = bound
  return `http://${address.includes(':') ? `[${address}]` : address}:${String(port)}`
}

/**
 * Calls `send` when the reply may be sent: at once, or when the whole request has been read. The timeout of the request
 * bounds the wait. An earlier reply could be lost in two cases:
 * - The connection ends with the reply. Unread bytes then make the end a reset, which overtakes the reply. On a
 *   kept-alive connection Node reads the rest after the reply.
 * - The request asks for an upgrade. Node ignores the upgrade and drops the next request, if it arrives together
 *   with the end of the body.
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
