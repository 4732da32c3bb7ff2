import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Query, type Parameter } from '../requests/query.js'
import { header, namedSchemas } from './components.js'
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
  const { answer } = declared
  return processRoute(declared, (server, path, parts) => {
    server.get(urlOf(path), (request, response) => answer(request, response, parts))
  })
}

export interface KeyedDeclaration<Parts> extends Omit<
  ReadOperation,
  'needsKey' | 'headers' | 'faultHeaders'
> {
  readonly path: string
  /** Whose keys may ask; `any`: every key that may do more than track. */
  readonly scope: 'read' | 'any'
  readonly query?: readonly Parameter<unknown>[]
  readonly answer: (query: Query, request: FastifyRequest, parts: Parts) => object | Promise<object>
}

/** `GET`, with a key: what only this process knows. It needs neither the store nor the read model. */
export function keyedRoute<Parts extends RouteParts = RouteParts>(
  declared: KeyedDeclaration<Parts>,
): Route<Parts> {
  const { answer, query = [], scope } = declared
  const described = {
    ...declared,
    query,
    needsKey: true,
    headers: { 'Cache-Control': header('NoStore') },
    faultHeaders: { 'Cache-Control': header('FaultNoStore') },
  }
  return processRoute(described, (server, path, parts) => {
    const onRequest = parts.guards[scope === 'any' ? 'anyKey' : 'read']
    server.get(urlOf(path), { onRequest }, async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const asked = new Query(request.raw.url ?? '', query)
      return { status: 'success', data: await answer(asked, request, parts) }
    })
  })
}

type AddTo<Parts extends RouteParts> = (
  server: FastifyInstance,
  path: ReturnType<typeof plainPath>,
  parts: Parts,
) => void

function processRoute<Parts extends RouteParts>(
  declared: ReadOperation & { readonly path: string },
  addTo: AddTo<Parts>,
): Route<Parts> {
  const { reply } = declared
  const path = plainPath(declared.path)
  return {
    method: 'get',
    path,
    operation: read(declared),
    schemas: namedSchemas(reply === undefined ? [] : [reply], 'output'),
    addTo: (server, parts) => {
      addTo(server, path, parts)
    },
  }
}
