import { z } from 'zod'
import { maxReasonLength, reasonViolations } from '../../../domain/segments/hand-members.js'
import { illFormed } from '../../../domain/rule-violation.js'
import { writeRoute } from './declared-write.js'
import { emptyBody } from './route.js'
import { keeping, name, success, timestamp } from '../schemas/common.js'
import { contextOf, type WriteOperation } from '../replies/write-reply.js'

const reason = z
  .string()
  .check(keeping(reasonViolations))
  .optional()
  .meta({ description: 'The reason. It is stored in the fact.', maxLength: maxReasonLength })

/** Accepts any Unicode text. A text that is not an id gets the fault of an unknown event. */
const eventId = z
  .string()
  .check(keeping((id) => (id.isWellFormed() ? [] : [illFormed])))
  .meta({ description: "The event's id." })

const entityExternalId = name('The external_id of the entity.')

const item = z.strictObject({ entity_external_id: entityExternalId, event_id: eventId, reason })

type Item = z.infer<typeof item>

const voidReply = success(
  {
    id: z.string().meta({ description: "The event's id." }),
    voided_at: timestamp.meta({ description: 'When the first request voided the event.' }),
    reason: z.string().optional().meta({
      description: 'The reason of the first request. Present if that request had one.',
    }),
  },
  'VoidedEvent',
).meta({ id: 'VoidReply' })

export const voidEvent: WriteOperation<Item> = {
  body: item,
  entityOf: (body) => body.entity_external_id,
  answer: async (useCases, { entity_external_id: externalId, event_id, reason }, context) => {
    const { fact, position, replayed } = await useCases.voidEvent({
      externalId,
      eventId: event_id,
      reason,
      ...context,
    })
    const { eventId, voidedAt } = fact.data
    const data: z.infer<typeof voidReply>['data'] = {
      id: eventId,
      voided_at: voidedAt,
      reason: fact.data.reason,
    }
    return { status: 200, data, position, replayed }
  },
}

export const deleteEvent = writeRoute({
  operationId: 'voidEvent',
  summary: 'Void an event. The event stays in the log, but no longer counts anywhere.',
  method: 'delete',
  path: {
    template: '/entities/{external_id}/events/{event_id}',
    schema: z.strictObject({ external_id: entityExternalId, event_id: eventId }),
  },
  query: z.strictObject({ reason }),
  body: emptyBody,
  keyed: 'unused',
  context: contextOf,
  replies: {
    '200': {
      reply: voidReply,
      description:
        'The event is void, by this or by an earlier request. The id of the event identifies ' +
        'repeated requests.',
    },
  },
  faults: [
    'event_not_found',
    'entity_not_found',
    'not_ready',
    'entity_erased',
    'too_many_facts',
    'read_model_behind',
  ],
  answer: ({ path, query, context }, { useCases }) =>
    voidEvent.answer(
      useCases,
      {
        entity_external_id: path.external_id,
        event_id: path.event_id,
        ...query,
      },
      context,
    ),
})
