import type { FastifyRequest } from 'fastify'
import type { Detail } from '../errors/faults.js'
import { Query, type Parameter } from '../requests/query.js'
import { brokenRules, type Checked } from '../requests/validate.js'
import { namedSchemas } from './components.js'
import { write, type WriteDescription } from './operations.js'
import type { GuardedScope, RouteParts } from './route-parts.js'
import { urlOf, type Body, type Method, type Path, type Route } from './route.js'
import { sendAnswer, type SentAnswer } from './write-reply.js'

interface WriteDeclaration<Values, Sent, Context> extends Omit<
  WriteDescription,
  'path' | 'body' | 'needsBody'
> {
  readonly method: Exclude<Method, 'get'>
  readonly path: Path<Values>
  readonly body: Body<Sent>
  /** `write` when nothing is said. */
  readonly scope?: GuardedScope
  readonly query?: readonly Parameter<unknown>[]
  /** The query is not looked at. When nothing is said, what it does not have is refused. */
  readonly ignoresQuery?: boolean
  /** What the request's headers say. Throws `malformed_request`. */
  readonly context: (request: FastifyRequest, parts: RouteParts) => Context
  readonly bodyFaults?: (sent: unknown) => readonly Detail[]
  /** Throws what the use case throws. */
  readonly answer: (
    request: {
      readonly path: Values
      readonly body: Sent
      readonly context: Context
      readonly query: Query
    },
    parts: RouteParts,
  ) => Promise<SentAnswer>
}

/** An endpoint that stores a fact. The faults of path and body are reported together. */
export function writeRoute<Values, Sent, Context>(
  declared: WriteDeclaration<Values, Sent, Context>,
): Route {
  const { method, path, body, scope = 'write', context, bodyFaults, answer } = declared
  const { ignoresQuery = false, query: parameters = [] } = declared
  const { schema, isRequired, isOptional } = body
  const replies = Object.values(declared.replies).map(({ reply }) => reply)
  const sent = schema === undefined ? [] : [schema]
  return {
    method,
    path,
    operation: write({ ...declared, body: schema, needsBody: isRequired }),
    schemas: { ...namedSchemas(sent, 'input'), ...namedSchemas(replies, 'output') },
    addTo: (server, parts) => {
      const checkBody = body.checkBy(parts.clock)
      const onRequest = parts.guards.of(scope, isOptional ? 'optional' : 'needed')
      server[method](urlOf(path), { onRequest }, async (request, reply) => {
        const asked = new Query(ignoresQuery ? '' : (request.raw.url ?? ''), parameters)
        const given = context(request, parts)
        const checked = checkBody(request.body)
        const more = bodyFaults?.(request.body) ?? []
        const named = path.check(request.params)
        const values = bothOf(checked, named, more)
        return sendAnswer(reply, await answer({ ...values, context: given, query: asked }, parts))
      })
    },
  }
}

/** Throws `validation_failed` with all that is wrong with both. */
function bothOf<Sent, Values>(
  body: Checked<Sent>,
  path: Checked<Values>,
  more: readonly Detail[],
): { readonly body: Sent; readonly path: Values } {
  if (body.details !== undefined || path.details !== undefined || more.length > 0) {
    throw brokenRules([...(body.details ?? []), ...more, ...(path.details ?? [])])
  }
  return { body: body.value, path: path.value }
}
