import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { RequestContext } from '../../../application/recording/append-decision.js'
import type { UseCases } from '../../../application/use-cases.js'
import { idempotencyKeyOf } from '../requests/request-headers.js'
import type { WriteAnswer } from './write-reply.js'

/** A way to write about one entity: the body of a route's request, or an item of a batch. */
export interface WriteOperation<Body> {
  readonly body: z.ZodObject & z.ZodType<Body>
  /** The external id of the entity that it is about. */
  entityOf(body: Body): string
  /** Throws what the use case throws. */
  answer(useCases: UseCases, body: Body, context: RequestContext): Promise<WriteAnswer>
}

/** Throws `malformed_request` when the Idempotency-Key has not its form. */
export function contextOf(request: FastifyRequest): RequestContext {
  return { requestId: request.id, idempotencyKey: idempotencyKeyOf(request.headers) }
}
