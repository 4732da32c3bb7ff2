import type { FastifyReply, FastifyRequest } from 'fastify'
import { entityTag } from '../requests/preconditions.js'
import type { z } from 'zod'
import type { RequestContext } from '../../../application/recording/append-decision.js'
import type { UseCases } from '../../../application/use-cases.js'
import { idempotencyKeyOf } from '../requests/request-headers.js'

/** The outcome of a stored write, for a reply or for the result of a batch item. */
export interface WriteAnswer {
  readonly status: 200 | 201
  readonly data: object
  readonly position: string
  readonly replayed: boolean
  readonly location?: string
  /** The stored version. Only resources with versions have it. */
  readonly version?: number
}

/** The outcome of a write, as sent. Status 202 means that processing continues after the reply. */
export interface SentAnswer extends Omit<WriteAnswer, 'status'> {
  readonly status: WriteAnswer['status'] | 202
}

export const jsonType = 'application/json; charset=utf-8'

export function sendAnswer(reply: FastifyReply, answer: SentAnswer): FastifyReply {
  const { status, data, position, replayed, location, version } = answer
  reply.code(status).header('Position', position)
  if (replayed) reply.header('Idempotency-Replayed', 'true')
  if (location !== undefined) reply.header('Location', location)
  if (version !== undefined) reply.header('ETag', entityTag(version))
  return reply.type(jsonType).send(JSON.stringify({ status: 'success', data }))
}

/** A write about one entity, sent as a request or as a batch item. */
export interface WriteOperation<Body> {
  readonly body: z.ZodObject & z.ZodType<Body>
  entityOf(body: Body): string
  /** Runs the use case. Throws the errors of the use case. */
  answer(useCases: UseCases, body: Body, context: RequestContext): Promise<WriteAnswer>
}

/** Reads the context of a write from the headers. Throws `malformed_request` for a malformed Idempotency-Key. */
export function contextOf(request: FastifyRequest): RequestContext {
  return { requestId: request.id, idempotencyKey: idempotencyKeyOf(request.headers) }
}
