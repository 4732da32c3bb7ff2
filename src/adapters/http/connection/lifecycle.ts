import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { plainFault } from '../errors/faults.js'
import { finished } from 'node:stream'

/**
 * The state of the service. `draining`: readiness fails, so load balancers send no new requests,
 * but the service still answers requests. `closing`: new requests get 503.
 */
type LifecycleState = 'serving' | 'draining' | 'closing'

/** The time for which idle connections stay open after the last reply, in milliseconds. */
const lingerMs = 250

/** Holds the state of the service and performs its graceful stop. */
export class Lifecycle {
  state: LifecycleState = 'serving'
  /**
   * The reason why this process can no longer write to its store. Undefined while it can write. The
   * process exits when this property is set.
   */
  storeLost: string | undefined
  /** The number of requests that have no reply yet. */
  unanswered = 0
  private reportIdle: () => void = () => undefined
  private readonly closingListeners: (() => void)[] = []

  /**
   * Adds the hooks that count requests and that refuse new requests while the service closes. The
   * service still answers routes whose URL is in `answered`. Call this method before adding other
   * hooks, so that its hooks run first.
   */
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

  /**
   * Registers a listener that runs when the service begins to close. Event streams use the listener
   * to end.
   */
  whenClosing(listener: () => void): void {
    this.closingListeners.push(listener)
  }

  /**
   * Stops listening, answers the requests in progress, and then ends all connections. Kept-alive
   * connections stay open for `lingerMs`, so that a request that arrives late gets 503. If the
   * connection were closed instead, the sender could not tell whether the request was stored.
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
 * Closes the listening socket and keeps all connections. `Server.close` would also close idle
 * connections, and lose requests that arrive on them. So a second server adopts the listening
 * socket and closes it.
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

/**
 * The size of the operating system's queue of new connections. A client that finds the queue full
 * waits seconds before its next attempt.
 */
const maxWaiting = 4_096

/** Thrown when another process listens on the port. */
class PortInUse extends Error {
  readonly code = 'port_in_use'
  override readonly name = 'PortInUse'
}

/**
 * Throws `PortInUse` when another process listens on the port. The check itself listens on the port
 * for a moment, so run it before any client can know the address.
 */
export async function assertPortFree({ host, port }: Address): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen({ host, port, backlog: 1 }), 'listening')
  } catch (error) {
    throw explained(error, { host, port })
  } finally {
    probe.close()
  }
}

interface Address {
  readonly host: string
  readonly port: number
}

/** Converts the error of a port in use to `PortInUse`. Returns every other error unchanged. */
function explained(error: unknown, { host, port }: Address): unknown {
  if (typeof error !== 'object' || error === null || !('code' in error)) return error
  if (error.code !== 'EADDRINUSE') return error
  const message = `port ${String(port)} of ${host} is in use: stop the other process, or set PORT to a free port`
  return new PortInUse(message, { cause: error })
}

/**
 * Listens, and returns the bound origin, such as `http://127.0.0.1:3000`. Port 0 picks a free port.
 * Throws `PortInUse` or another error of listening.
 */
export async function listen(server: FastifyInstance, { host, port }: Address): Promise<string> {
  try {
    await server.listen({ host, port, backlog: maxWaiting })
  } catch (error) {
    throw explained(error, { host, port })
  }
  return originOf(server.server.address(), host)
}

function originOf(bound: AddressInfo | string | null, host: string): string {
  if (bound === null || typeof bound === 'string') return `http://${host}`
  const { address, port } = bound
  return `http://${address.includes(':') ? `[${address}]` : address}:${String(port)}`
}

/**
 * Calls `send` when the reply may be sent: at once, or after the whole request has been read. The
 * request timeout limits the wait. A reply that is sent earlier could get lost in two cases:
 * - The server closes the connection after the reply. Bytes that were not read turn the close into
 * a reset, which can overtake the reply.
 * - The request asks for a protocol upgrade. Node ignores the upgrade, and drops the next request
 * if that request arrives together with the end of the body.
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
