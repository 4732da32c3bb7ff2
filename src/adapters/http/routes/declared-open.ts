import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Query, type Parameter } from '../requests/query.js'
import { valueOf } from '../requests/validate.js'
import { header, namedSchemas } from './components.js'
import { read, type ReadOperation } from './operations.js'
import type { GuardedScope, RouteParts } from './route-parts.js'
import { plainPath, urlOf, type Path, type Route } from './route.js'

interface OpenDeclaration<Parts> extends Omit<ReadOperation, 'path'> {
  readonly path: string
  readonly answer: (request: FastifyRequest, reply: FastifyReply, parts: Parts) => unknown
}

/** `GET`, without a key: what says how the service is. */
export function openRoute<Parts extends RouteParts = RouteParts>(
  declared: OpenDeclaration<Parts>,
): Route<Parts> {
  const { answer } = declared
  const path = plainPath(declared.path)
  return processRoute({ ...declared, path }, path, (server, parts) => {
    server.get(urlOf(path), (request, response) => answer(request, response, parts))
  })
}

interface AuthenticatedDeclaration<Parts, Values> extends Omit<
  ReadOperation,
  'needsKey' | 'headers' | 'faultHeaders' | 'path'
> {
  readonly path: Path<Values>
  readonly scope: GuardedScope
  readonly query?: readonly Parameter<unknown>[]
  readonly answer: (asked: AuthenticatedRequest<Values>, parts: Parts) => object | Promise<object>
}

interface AuthenticatedRequest<Values> {
  readonly path: Values
  readonly query: Query
  readonly request: FastifyRequest
}

/** `GET`, with a key: what needs no read model. */
export function authenticatedRoute<Values, Parts extends RouteParts = RouteParts>(
  declared: AuthenticatedDeclaration<Parts, Values>,
): Route<Parts> {
  const { answer, query = [], scope, path } = declared
  const described = {
    ...declared,
    query,
    needsKey: true,
    headers: { 'Cache-Control': header('NoStore') },
    faultHeaders: { 'Cache-Control': header('FaultNoStore') },
  }
  return processRoute(described, path, (server, parts) => {
    const onRequest = parts.guards.of(scope, 'none')
    server.get(urlOf(path), { onRequest }, async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const asked = new Query(request.raw.url ?? '', query)
      const values = valueOf(path.check(request.params))
      return {
        status: 'success',
        data: await answer({ path: values, query: asked, request }, parts),
      }
    })
  })
}

function processRoute<Parts extends RouteParts>(
  declared: ReadOperation,
  path: Path<unknown>,
  addTo: (server: FastifyInstance, parts: Parts) => void,
): Route<Parts> {
  const { reply } = declared
  return {
    method: 'get',
    path,
    operation: read({ ...declared, path }),
    schemas: namedSchemas(reply === undefined ? [] : [reply], 'output'),
    addTo,
  }
}
