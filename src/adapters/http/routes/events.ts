import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { UseCases } from '../../../application/use-cases.js'
import { idempotencyKeyOf } from '../requests/request-headers.js'
import { eventSchema } from './request-schemas.js'
import { validate } from '../requests/validate.js'
import { sendStored } from './write-reply.js'

/** `POST /events`: records an event about an entity. */
export function eventsRoute(
  server: FastifyInstance,
  { recordEvent }: Pick<UseCases, 'recordEvent'>,
  guards: onRequestHookHandler[],
): void {
  server.post('/events', { onRequest: guards }, async (request, reply) => {
    const idempotencyKey = idempotencyKeyOf(request.headers)
    const body = validate(eventSchema, request.body)
    const { fact, position, replayed } = await recordEvent({
      entityExternalId: body.entity_external_id,
      name: body.name,
      properties: body.properties ?? {},
      requestId: request.id,
      idempotencyKey,
    })
    const data = {
      id: fact.id,
      entity_external_id: fact.data.entityExternalId,
      name: fact.data.name,
      properties: fact.data.properties,
      timestamp: fact.data.recordedAt,
    }
    return sendStored(reply, { data, position, replayed })
  })
}
