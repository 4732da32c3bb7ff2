import type { FastifyInstance } from 'fastify'
import type { Log } from '../../application/ports/log.js'

/** Writes a line to the log for each request that has its reply. */
export function logRequests(server: FastifyInstance, log: Log): void {
  server.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const route = request.routeOptions.url ?? 'none'
    const milliseconds = Math.round(reply.elapsedTime * 1_000) / 1_000
    log.info({ requestId, method, route, status: reply.statusCode, milliseconds }, 'a request')
    done()
  })
}
