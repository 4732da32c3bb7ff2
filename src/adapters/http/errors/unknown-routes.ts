import type { FastifyInstance } from 'fastify'
import { HttpFault, plainFault } from './faults.js'

/**
 * Refuses what no route takes, before anything else of the request is looked at. To be called before
 * routes are added.
 */
export function refuseUnknownRoutes(server: FastifyInstance): void {
  const methods = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set()
    methods.set(url, known)
    for (const one of [method].flat()) known.add(one)
  })
  server.addHook<{ Params: { '*'?: string } }>('onRequest', (request, _reply, done) => {
    if (!request.is404) {
      done()
      return
    }
    // The wildcard is the path as the router reads it: decoded, without scheme, host and query.
    const allowed = methods.get(`/${request.params['*'] ?? ''}`)
    done(refusal(request.method, allowed))
  })
}

function refusal(method: string, allowed: ReadonlySet<string> | undefined): HttpFault {
  if (allowed === undefined || allowed.has(method)) return plainFault('route_not_found')
  return new HttpFault('method_not_allowed', undefined, [], { Allow: [...allowed].join(', ') })
}
