import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { ReadWant } from '../../../application/reading/want.js'
import type { Parameter, Query } from '../requests/query.js'
import { valueOf } from '../requests/validate.js'
import { namedSchemas } from './components.js'
import { readOperation, type ReadDescription } from './read-operation.js'
import { readRequestOf, sendRead, type ReadAnswer } from './read-route.js'
import type { ReadParts } from './route-parts.js'
import { urlOf, type Body, type Path, type Route } from './route.js'
import type { Success } from './schemas.js'

/** A read that has passed its checks, but for those that depend on the clock. */
interface ReadRequest<Values> {
  readonly path: Values
  readonly query: Query
  readonly want: ReadWant
}

interface Described<Values, Data> extends Omit<ReadDescription, 'path' | 'query' | 'body'> {
  readonly path: Path<Values>
  readonly reply: z.ZodType<Success<Data>>
}

type Answered<Data> = Promise<ReadAnswer & { readonly data: Data }>

interface ReadDeclaration<Values, Data> extends Described<Values, Data> {
  readonly query: readonly Parameter<unknown>[]
  /** Throws what reading throws, and faults of what depends on the clock. */
  readonly answer: (request: ReadRequest<Values>, parts: ReadParts) => Answered<Data>
}

/** `GET`, with a key that has the scope `read`. */
export function readRoute<Values, Data extends object>(
  declared: ReadDeclaration<Values, Data>,
): Route<ReadParts> {
  const { path, reply, answer } = declared
  return {
    method: 'get',
    path,
    operation: readOperation(declared),
    schemas: namedSchemas([reply], 'output'),
    addTo: (server, parts) => {
      const options = { onRequest: parts.guards.of('read', 'none') }
      server.get(urlOf(path), options, async (request, response) => {
        const read = requestOf(request, response, declared, parts)
        return sendRead(request, response, await answer(read, parts), parts)
      })
    },
  }
}

interface BodyReadDeclaration<Values, Sent, Data> extends Described<Values, Data> {
  readonly body: Body<Sent>
  /** Throws what reading throws. */
  readonly answer: (
    request: ReadRequest<Values> & { readonly body: Sent },
    parts: ReadParts,
  ) => Answered<Data>
}

/** A read whose parameters are a body: `POST`, with a key that has the scope `read`. */
export function bodyReadRoute<Values, Sent, Data extends object>(
  declared: BodyReadDeclaration<Values, Sent, Data>,
): Route<ReadParts> {
  const { path, body, reply, answer } = declared
  const sent = body.schema === undefined ? [] : [body.schema]
  return {
    method: 'post',
    path,
    operation: readOperation({ ...declared, query: [], body: body.schema }),
    schemas: { ...namedSchemas(sent, 'input'), ...namedSchemas([reply], 'output') },
    addTo: (server, parts) => {
      const checkBody = body.checkBy(parts.clock)
      const options = { onRequest: parts.guards.of('read', 'needed'), config: { reads: true } }
      server.post(urlOf(path), options, async (request, response) => {
        const read = requestOf(request, response, { path, query: [] }, parts)
        const sentBody = valueOf(checkBody(request.body))
        const answered = await answer({ ...read, body: sentBody }, parts)
        return sendRead(request, response, answered, parts)
      })
    },
  }
}

function requestOf<Values>(
  request: FastifyRequest,
  response: FastifyReply,
  declared: Pick<ReadDeclaration<Values, unknown>, 'path' | 'query'>,
  parts: ReadParts,
): ReadRequest<Values> {
  const { query, want } = readRequestOf(request, response, declared.query, parts)
  return { path: valueOf(declared.path.check(request.params)), query, want }
}
