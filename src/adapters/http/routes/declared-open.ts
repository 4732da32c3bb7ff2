import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { entityTag } from '../requests/preconditions.js'
import { queryOf, type QuerySchema } from '../requests/query.js'
import { valueOf, check } from '../requests/validate.js'
import { header } from '../schemas/components.js'
import { readStatus, type Headers, type StatusDescription } from './operations.js'
import type { GuardedScope, RouteParts } from './route-parts.js'
import { plainPath, urlOf, type Path, type Route } from './route.js'

interface OpenDeclaration<Parts> extends Omit<StatusDescription, 'path'> {
  readonly path: string
  readonly answer: (request: FastifyRequest, reply: FastifyReply, parts: Parts) => unknown
}

/** Declares a `GET` route that reports the state of the process and needs no API key. */
export function openRoute<Parts extends RouteParts = RouteParts>(
  declared: OpenDeclaration<Parts>,
): Route<Parts> {
  const { answer } = declared
  const path = plainPath(declared.path)
  return statusRoute({ ...declared, path }, (server, parts) => {
    server.get(urlOf(path), (request, response) => answer(request, response, parts))
  })
}

interface AuthenticatedDeclaration<Parts, Values, Query, Data extends object> extends Omit<
  StatusDescription,
  'needsKey' | 'headers' | 'faultHeaders'
> {
  readonly path: Path<Values>
  readonly scope: GuardedScope
  readonly query: QuerySchema<Query>
  /** Additional headers of the reply. */
  readonly replyHeaders?: Headers
  /** Returns the version for the header ETag. Absent when the reply has no version. */
  readonly versionOf?: (data: Data) => number
  readonly answer: (
    asked: {
      readonly path: Values
      readonly query: Query
      readonly request: FastifyRequest
    },
    parts: Parts,
  ) => Data | Promise<Data>
}

/** Declares a `GET` route that needs an API key but no read model. */
export function authenticatedRoute<
  Values,
  Query,
  Data extends object,
  Parts extends RouteParts = RouteParts,
>(declared: AuthenticatedDeclaration<Parts, Values, Query, Data>): Route<Parts> {
  const { answer, scope, path, replyHeaders, versionOf } = declared
  const described = {
    ...declared,
    needsKey: true,
    headers: { 'Cache-Control': header('NoStore'), ...replyHeaders },
    faultHeaders: { 'Cache-Control': header('FaultNoStore') },
  }
  return statusRoute(described, (server, parts) => {
    const onRequest = parts.guards.of(scope, 'none')
    server.get(urlOf(path), { onRequest }, async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      const query = queryOf(request, declared.query)
      const values = valueOf(check(path.schema, request.params))
      const data = await answer({ path: values, query, request }, parts)
      if (versionOf !== undefined) reply.header('ETag', entityTag(versionOf(data)))
      return { status: 'success', data }
    })
  })
}

function statusRoute<Parts extends RouteParts>(
  declared: StatusDescription,
  addTo: (server: FastifyInstance, parts: Parts) => void,
): Route<Parts> {
  return { method: 'get', path: declared.path, operation: readStatus(declared), addTo }
}
