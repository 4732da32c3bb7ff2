import type { FastifyInstance } from 'fastify'
import { accepts } from '../requests/request-headers.js'

/**
 * `GET /`: redirects a browser to the console, and tells a program where the API is described.
 * Needs no API key. All addresses are relative, so they stay valid behind a proxy with a path
 * prefix.
 */
export function addStartingPoint(
  server: FastifyInstance,
  { version, hasConsole }: { readonly version: string; readonly hasConsole: boolean },
): void {
  const data = {
    name: 'dossier',
    version,
    openapi: 'openapi.json',
    health: 'health/ready',
    ...(hasConsole && { console: 'console' }),
  }
  server.get('/', ({ headers }, reply) => {
    reply.headers({ 'Cache-Control': 'no-store', Vary: 'Accept' })
    if (hasConsole && accepts(headers, 'text/html')) {
      return reply.redirect('console', 302)
    }
    return reply.send({ status: 'success', data })
  })
}
