import type { FastifyRequest } from 'fastify'
import type { Detail } from '../errors/faults.js'
import { queryOf, type QuerySchema } from '../requests/query.js'
import { brokenRules, check, type Checked } from '../requests/validate.js'
import { write, type WriteDescription } from './operations.js'
import type { GuardedScope, RouteParts } from './route-parts.js'
import { urlOf, type Body, type Method, type Path, type Route } from './route.js'
import { sendAnswer, type SentAnswer } from '../replies/write-reply.js'

interface WriteDeclaration<Values, Sent, Context, Query> extends Omit<
  WriteDescription,
  'path' | 'query' | 'body' | 'needsBody'
> {
  readonly method: Exclude<Method, 'get'>
  readonly path: Path<Values>
  readonly body: Body<Sent>
  /** The scope that the API key needs. Default: `write`. */
  readonly scope?: GuardedScope
  /** The schema of the query. `ignored` means that any query is accepted and not read. */
  readonly query: QuerySchema<Query> | 'ignored'
  /** Reads the context of the write from the headers. Throws `malformed_request`. */
  readonly context: (request: FastifyRequest, parts: RouteParts) => Context
  readonly bodyFaults?: (sent: unknown) => readonly Detail[]
  /** Runs the use case and returns its outcome. Throws the errors of the use case. */
  readonly answer: (
    request: {
      readonly path: Values
      readonly body: Sent
      readonly context: Context
      readonly query: Query | undefined
    },
    parts: RouteParts,
  ) => Promise<SentAnswer>
}

/**
 * Declares an endpoint that stores a fact. It reports the violations in the path and in the body
 * together.
 */
export function writeRoute<Values, Sent, Context, Query>(
  declared: WriteDeclaration<Values, Sent, Context, Query>,
): Route {
  const { method, path, body, scope = 'write', context, bodyFaults, answer } = declared
  const asked = declared.query === 'ignored' ? undefined : declared.query
  const { schema, isRequired, isOptional } = body
  return {
    method,
    path,
    operation: write({ ...declared, query: asked, body: schema, needsBody: isRequired }),
    addTo: (server, parts) => {
      const checkBody = body.checkBy(parts.clock)
      const onRequest = parts.guards.of(scope, isOptional ? 'optional' : 'needed')
      server[method](urlOf(path), { onRequest }, async (request, reply) => {
        const query = asked && queryOf(request, asked)
        const given = context(request, parts)
        const checked = checkBody(request.body)
        const more = bodyFaults?.(request.body) ?? []
        const named = check(path.schema, request.params)
        const values = bothOf(checked, named, more)
        return sendAnswer(reply, await answer({ ...values, context: given, query }, parts))
      })
    },
  }
}

/**
 * Returns the values of the body and of the path. Throws `validation_failed` with the details of
 * both.
 */
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
