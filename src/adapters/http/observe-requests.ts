import type { FastifyInstance, onSendHookHandler } from 'fastify'
import type { RequestObserver } from './ports/observers.js'
import type { Log } from '../../application/ports/log.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The time at which all headers of the request had arrived, by `performance.now`. */
    arrivedAt: number
  }
}

/**
 * The route name for all requests that no route accepts. Clients choose paths, so one name per path
 * would let the metrics grow without limit.
 */
export const noRoute = 'none'

/**
 * Reports each reply to the observer when the reply is ready to be sent. Each route gets its own
 * hook, so that no request needs a lookup of its route. Call this function before adding other
 * hooks and routes.
 */
export function observeRequests(server: FastifyInstance, observer: RequestObserver): void {
  server.decorateRequest('arrivedAt', 0)
  server.addHook('onRequest', (request, _reply, done) => {
    request.arrivedAt = performance.now()
    done()
  })
  const unknown = reporting(observer.route(noRoute, noRoute))
  server.addHook('onRoute', (options) => {
    const before = [options.onSend ?? []].flat()
    // Reports a route that accepts every method as unknown, because such a route only refuses
    // requests that no other route accepts.
    const report = Array.isArray(options.method)
      ? unknown
      : reporting(observer.route(options.method, options.url))
    options.onSend = [...before, report]
  })
  server.addHook('onSend', function (request, reply, payload, done) {
    if (request.is404) unknown.call(this, request, reply, payload, done)
    else done()
  })
}

function reporting(answered: (status: number, seconds: number) => void): onSendHookHandler {
  return (request, reply, _payload, done) => {
    answered(reply.statusCode, (performance.now() - request.arrivedAt) / 1_000)
    done()
  }
}

/** Writes one line per reply to the application log. */
export function logRequests(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const route = request.routeOptions.url ?? 'none'
    const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000
    log.info({ requestId, method, route, status: reply.statusCode, milliseconds }, 'a request')
    done()
  })
}
