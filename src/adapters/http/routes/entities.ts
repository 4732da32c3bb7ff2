import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { UseCases } from '../../../application/use-cases.js'
import { idempotencyKeyOf } from '../requests/request-headers.js'
import { entitySchema } from './request-schemas.js'
import { validate } from '../requests/validate.js'
import { sendStored } from './write-reply.js'

/** `POST /entities`: creates an entity. */
export function entitiesRoute(
  server: FastifyInstance,
  { createEntity }: Pick<UseCases, 'createEntity'>,
  guards: onRequestHookHandler[],
): void {
  server.post('/entities', { onRequest: guards }, async (request, reply) => {
    const idempotencyKey = idempotencyKeyOf(request.headers)
    const { external_id: externalId, properties = {} } = validate(entitySchema, request.body)
    const { fact, position, replayed } = await createEntity({
      externalId,
      properties,
      requestId: request.id,
      idempotencyKey,
    })
    const data = {
      external_id: fact.data.externalId,
      properties: fact.data.properties,
      created_at: fact.data.createdAt,
    }
    reply.header('Location', `/entities/${encodeURIComponent(fact.data.externalId)}`)
    return sendStored(reply, { data, position, replayed })
  })
}
