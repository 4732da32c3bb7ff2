import type { FastifyReply, FastifyRequest } from 'fastify'
import { entityTag } from '../requests/preconditions.js'
import type { z } from 'zod'
import type { RequestContext } from '../../../application/recording/append-decision.js'
import type { UseCases } from '../../../application/use-cases.js'
import { idempotencyKeyOf } from '../requests/request-headers.js'

/** What became of a write that is stored, whichever it is: alone a reply, in a batch a result. */
export interface WriteAnswer {
  readonly status: 200 | 201
  readonly data: object
  readonly position: string
  readonly replayed: boolean
  readonly location?: string
  /** What has versions: the one that is stored now. */
  readonly version?: number
}

/** The same, also where it goes on behind the reply. */
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

/** A way to write about one entity: the body of a route's request, or an item of a batch. */
export interface WriteOperation<Body> {
  readonly body: z.ZodObject & z.ZodType<Body>
  entityOf(body: Body): string
  /** Throws what the use case throws. */
  answer(useCases: UseCases, body: Body, context: RequestContext): Promise<WriteAnswer>
}

/** Throws `malformed_request` when the Idempotency-Key has not its form. */
export function contextOf(request: FastifyRequest): RequestContext {
  return { requestId: request.id, idempotencyKey: idempotencyKeyOf(request.headers) }
}
