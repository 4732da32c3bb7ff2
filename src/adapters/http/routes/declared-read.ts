import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ReadWant } from '../../../application/reading/want.js'
import { noQuery, type QuerySchema } from '../requests/query.js'
import { check, valueOf } from '../requests/validate.js'
import { read, type ReadDescription } from './operations.js'
import { readWantOf, sendRead, type ReadAnswer } from './read-route.js'
import type { ReadParts } from './route-parts.js'
import { urlOf, type Body, type Path, type Route } from './route.js'
import type { Success } from '../schemas/common.js'

/** A read whose path and headers were checked. `answer` performs the checks that need the clock. */
interface ReadRequest<Values> {
  readonly path: Values
  readonly want: ReadWant
}

interface Described<Values, Data> extends Omit<ReadDescription, 'path' | 'query' | 'body'> {
  readonly path: Path<Values>
  readonly reply: z.ZodType<Success<Data>>
}

type Answered<Data> = Promise<ReadAnswer & { readonly data: Data }>

interface ReadDeclaration<Values, Query, Data> extends Described<Values, Data> {
  readonly query: QuerySchema<Query>
  /** Computes the answer. Throws the errors of the query, and faults of checks that need the clock. */
  readonly answer: (
    request: ReadRequest<Values> & { readonly query: Query },
    parts: ReadParts,
  ) => Answered<Data>
}

/** Declares a `GET` route that requires the scope `read`. */
export function readRoute<Values, Query, Data extends object>(
  declared: ReadDeclaration<Values, Query, Data>,
): Route<ReadParts> {
  const { path, answer } = declared
  return {
    method: 'get',
    path,
    operation: read(declared),
    addTo: (server, parts) => {
      const options = { onRequest: parts.guards.of('read', 'none') }
      server.get(urlOf(path), options, async (request, response) => {
        const asked = requestOf(request, response, declared, parts)
        return sendRead(request, response, await answer(asked, parts), parts)
      })
    },
  }
}

interface BodyReadDeclaration<Values, Sent, Data> extends Described<Values, Data> {
  readonly body: Body<Sent>
  /** Computes the answer. Throws the errors of the query. */
  readonly answer: (
    request: ReadRequest<Values> & { readonly body: Sent },
    parts: ReadParts,
  ) => Answered<Data>
}

/**
 * Declares a `POST` route that only reads and gets its parameters in the body. It requires the
 * scope `read`.
 */
export function bodyReadRoute<Values, Sent, Data extends object>(
  declared: BodyReadDeclaration<Values, Sent, Data>,
): Route<ReadParts> {
  const { path, body, answer } = declared
  return {
    method: 'post',
    path,
    operation: read({ ...declared, body: body.schema }),
    addTo: (server, parts) => {
      const checkBody = body.checkBy(parts.clock)
      const options = { onRequest: parts.guards.of('read', 'needed'), config: { reads: true } }
      server.post(urlOf(path), options, async (request, response) => {
        const asked = requestOf(request, response, { path, query: noQuery }, parts)
        const sentBody = valueOf(checkBody(request.body))
        const answered = await answer({ ...asked, body: sentBody }, parts)
        return sendRead(request, response, answered, parts)
      })
    },
  }
}

function requestOf<Values, Query>(
  request: FastifyRequest,
  response: FastifyReply,
  declared: { readonly path: Path<Values>; readonly query: QuerySchema<Query> },
  parts: ReadParts,
) {
  const { query, want } = readWantOf(request, response, declared.query, parts)
  return { path: valueOf(check(declared.path.schema, request.params)), query, want }
}
