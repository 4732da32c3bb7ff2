import { z } from 'zod'
import { idempotencyKeyOf } from '../requests/request-headers.js'
import { validate } from '../requests/validate.js'
import { header, jsonSchema, write } from './operations.js'
import type { Resource } from './resource.js'
import { name, properties, sentProperties, success, timestamp } from './schemas.js'
import { sendStored } from './write-reply.js'

const entityBody = z.strictObject({
  external_id: name('Your name for the customer or user.'),
  properties,
})

const entityReply = success({
  external_id: z.string(),
  properties: sentProperties,
  created_at: timestamp,
})

/** `POST /entities`: creates an entity. */
export const entities: Resource = {
  paths: {
    '/entities': {
      post: write({
        operationId: 'createEntity',
        summary: 'Create an entity. An existing one is never overwritten.',
        body: 'Entity',
        reply: 'EntityReply',
        replyHeaders: { Location: header('Location') },
        faults: ['entity_exists'],
      }),
    },
  },
  schemas: {
    Entity: jsonSchema(entityBody, 'input'),
    EntityReply: jsonSchema(entityReply, 'output'),
  },
  addRoutes: (server, { useCases: { createEntity }, writeGuards }) => {
    server.post('/entities', { onRequest: writeGuards }, async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request.headers)
      const { external_id: externalId, properties = {} } = validate(entityBody, request.body)
      const { fact, position, replayed } = await createEntity({
        externalId,
        properties,
        requestId: request.id,
        idempotencyKey,
      })
      const data: z.infer<typeof entityReply>['data'] = {
        external_id: fact.data.externalId,
        properties: fact.data.properties,
        created_at: fact.data.createdAt,
      }
      reply.header('Location', `/entities/${encodeURIComponent(fact.data.externalId)}`)
      return sendStored(reply, { data, position, replayed })
    })
  },
}
