import type { FastifyReply, FastifyRequest } from 'fastify'
import { namedSchemas } from './components.js'
import { read, type ReadOperation } from './operations.js'
import type { RouteParts } from './route-parts.js'
import { plainPath, urlOf, type Route } from './route.js'

export interface OpenDeclaration<Parts> extends ReadOperation {
  readonly path: string
  readonly answer: (request: FastifyRequest, reply: FastifyReply, parts: Parts) => unknown
}

/** `GET`, without a key: what says how the service is. */
export function openRoute<Parts extends RouteParts = RouteParts>(
  declared: OpenDeclaration<Parts>,
): Route<Parts> {
  const { reply, answer } = declared
  const path = plainPath(declared.path)
  return {
    method: 'get',
    path,
    operation: read(declared),
    schemas: namedSchemas(reply === undefined ? [] : [reply], 'output'),
    addTo: (server, parts) => {
      server.get(urlOf(path), (request, response) => answer(request, response, parts))
    },
  }
}
