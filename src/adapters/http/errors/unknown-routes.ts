import type { FastifyInstance, FastifyRequest } from 'fastify'
import { faultForms, HttpFault, plainFault } from './faults.js'

/** A method and a path pattern in the router's syntax: `GET`, `/entities/:external_id`. */
export interface Route {
  readonly method: string
  readonly url: string
}

/**
 * Refuses requests that no route accepts, before any other check. Call this function before adding
 * routes. `unread` contains the read routes that are missing in a process without a read model.
 * Requests for their paths get 404, never 405.
 */
export function refuseUnknownRoutes(server: FastifyInstance, unread: readonly Route[] = []): void {
  const methods = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const found = methods.get(url) ?? new Set()
    methods.set(url, found)
    for (const one of [method].flat()) found.add(one)
  })
  server.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404) {
      done(hasEmptyParameter(request) ? plainFault('route_not_found') : undefined)
      return
    }
    const given = segmentsOf(request.originalUrl)
    const method = request.method === 'HEAD' ? 'GET' : request.method
    if (unread.some((route) => route.method === method && matches(route.url.split('/'), given))) {
      done(plainFault('route_not_found'))
      return
    }
    // Collects the methods of all matching patterns. A path can match several patterns: one
    // literally, and another through a parameter.
    const found = [...methods].filter(([url]) => matches(url.split('/'), given))
    const allowed = new Set(found.flatMap(([, methods]) => [...methods]))
    const urls = found.map(([url]) => url)
    done(refusal(request.method, allowed, urls))
  })
}

/** Returns whether a path parameter is empty. The router would accept `/entities/` with an empty external_id. */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return typeof params === 'object' && params !== null && Object.values(params).includes('')
}

function segmentsOf(url: string): readonly string[] {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)
  return path.split('/').map(decodeURIComponent)
}

/**
 * Returns whether a path matches a pattern. A pattern segment that starts with a colon matches any non-empty text.
 */
function matches(route: readonly string[], given: readonly string[]): boolean {
  const fits = (segment: string, at: number) =>
    segment.startsWith(':') ? given[at] !== '' : segment === given[at]
  return route.length === given.length && route.every(fits)
}

/** Advice by path, for requests with a method that the path does not support. */
const hints: Readonly<Record<string, string>> = {
  '/events':
    ' Read the events of an entity at GET /entities/{external_id}/events, and the events of all entities at GET /facts?types=EventRecorded.',
}

function refusal(method: string, allowed: ReadonlySet<string>, urls: readonly string[]): HttpFault {
  if (allowed.size === 0 || allowed.has(method)) return plainFault('route_not_found')
  const [first = ''] = urls
  const message = `${faultForms.method_not_allowed.message}${hints[first] ?? ''}`
  return new HttpFault('method_not_allowed', message, [], { Allow: [...allowed].join(', ') })
}
