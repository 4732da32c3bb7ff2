import { z } from 'zod'
import { validate } from '../requests/validate.js'
import { jsonSchema, write } from './operations.js'
import type { Resource } from './resource.js'
import { name, properties, sentProperties, success, timestamp } from './schemas.js'
import { contextOf, type WriteOperation } from './write-operation.js'
import { sendAnswer } from './write-reply.js'

const eventBody = z.strictObject({
  entity_external_id: name('The external_id of an entity that exists.'),
  name: name('What happened.'),
  properties,
})

const eventReply = success({
  id: z.uuid().meta({ description: "The event's id, which is its fact's id." }),
  entity_external_id: z.string(),
  name: z.string(),
  properties: sentProperties,
  timestamp,
})

export const recordEvent: WriteOperation<z.infer<typeof eventBody>> = {
  body: eventBody,
  entityOf: (body) => body.entity_external_id,
  answer: async (useCases, body, context) => {
    const { fact, position, replayed } = await useCases.recordEvent({
      entityExternalId: body.entity_external_id,
      name: body.name,
      properties: body.properties ?? {},
      ...context,
    })
    const data: z.infer<typeof eventReply>['data'] = {
      id: fact.id,
      entity_external_id: fact.data.entityExternalId,
      name: fact.data.name,
      properties: fact.data.properties,
      timestamp: fact.data.recordedAt,
    }
    return { status: 201, data, position, replayed }
  },
}

/** `POST /events`: records an event about an entity. */
export const events: Resource = {
  paths: {
    '/events': {
      post: write({
        operationId: 'recordEvent',
        summary: 'Record an event about an entity that exists.',
        body: 'Event',
        replies: { '201': { reply: 'EventReply' } },
        faults: ['entity_not_found'],
      }),
    },
  },
  schemas: {
    Event: jsonSchema(eventBody, 'input'),
    EventReply: jsonSchema(eventReply, 'output'),
  },
  addRoutes: (server, { useCases, guards }) => {
    server.post('/events', { onRequest: guards.write }, async (request, reply) => {
      const context = contextOf(request)
      const body = validate(eventBody, request.body)
      return sendAnswer(reply, await recordEvent.answer(useCases, body, context))
    })
  },
}
