import { z } from 'zod'
import type { Clock } from '../../../application/ports/clock-and-ids.js'
import { writeRoute } from './declared-write.js'
import { bodyBy, plainPath } from './route.js'
import {
  externalId,
  name,
  occurredAt,
  properties,
  sentProperties,
  success,
  timestamp,
} from '../schemas/common.js'
import { contextOf, type WriteOperation } from '../replies/write-reply.js'

function eventBodyBy(clock: Clock) {
  return z
    .strictObject({
      entity_external_id: name('The external_id of the entity.'),
      name: name('The name of the event.'),
      properties,
      occurred_at: occurredAt(clock, 'The time of the event'),
      upsert: z.boolean().optional().meta({
        description:
          'Creates a missing entity first, without properties and with the time of the event.',
      }),
    })
    .meta({ id: 'NewEvent', description: 'An event to record.' })
}

const eventReply = success(
  {
    id: z.uuid().meta({ description: 'The id of the event, which is also the id of its fact.' }),
    entity_external_id: externalId,
    name: z.string().meta({ description: 'What happened.' }),
    properties: sentProperties,
    timestamp: timestamp.meta({
      description: 'When the event was recorded, in UTC with milliseconds.',
    }),
    occurred_at: timestamp.optional().meta({
      description: 'The time of the event, in UTC with milliseconds. Present if it was sent.',
    }),
  },
  'RecordedEvent',
).meta({ id: 'EventReply' })

type EventBody = z.infer<ReturnType<typeof eventBodyBy>>

export function recordEventBy(clock: Clock): WriteOperation<EventBody> {
  return { body: eventBodyBy(clock), entityOf: (body) => body.entity_external_id, answer }
}

const answer: WriteOperation<EventBody>['answer'] = async (useCases, body, context) => {
  const { fact, position, replayed } = await useCases.recordEvent({
    entityExternalId: body.entity_external_id,
    name: body.name,
    properties: body.properties ?? {},
    occurredAt: body.occurred_at,
    upsert: body.upsert,
    ...context,
  })
  const data: z.infer<typeof eventReply>['data'] = {
    id: fact.id,
    entity_external_id: fact.data.entityExternalId,
    name: fact.data.name,
    properties: fact.data.properties,
    timestamp: fact.data.recordedAt,
    occurred_at: fact.data.occurredAt,
  }
  return { status: 201, data, position, replayed }
}

export const postEvent = writeRoute({
  operationId: 'recordEvent',
  summary: 'Record an event about an entity.',
  method: 'post',
  path: plainPath('/events'),
  query: 'ignored',
  body: bodyBy(eventBodyBy),
  context: contextOf,
  replies: { '201': { reply: eventReply } },
  faults: ['entity_not_found', 'entity_exists', 'entity_erased'],
  answer: ({ body, context }, { useCases }) => answer(useCases, body, context),
})
