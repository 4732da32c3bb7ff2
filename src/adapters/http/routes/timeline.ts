import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { TimelineCursor, TimelineItem } from '../../../application/reading/ports/read-model.js'
import { cursor, instant, limit, named } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import { boundsScope, pastOf, pastQuery } from './past-bounds.js'
import { entityPath } from './route.js'
import { readPage } from '../requests/cursor.js'
import { itemsOf, nextCursor, sentProperties, success, timestamp } from '../schemas/common.js'

const timelineQuery = z.strictObject({
  by: z
    .enum(['occurred', 'recorded'])
    .default('occurred')
    .meta({
      description:
        'The time to which order, since and until refer: `occurred` is the own time, `recorded` ' +
        'the time of recording.',
    }),
  order: z
    .enum(['desc', 'asc'])
    .default('desc')
    .meta({
      description:
        'The order by the time that `by` selects. Events with equal times are in the order of ' +
        'recording.',
    }),
  name: named('Only events with exactly this name.'),
  since: instant('Only events at this time or later.'),
  until: instant('Only events before this time.'),
  include: z.enum(['voided']).optional().meta({
    description:
      'Lists voided events, too. They have voided_at, and void_reason if a reason was sent.',
  }),
  ...pastQuery.shape,
  cursor,
  limit,
})

const timelineItem = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the event.' }),
    name: z.string().meta({ description: 'The name of the event.' }),
    properties: sentProperties,
    timestamp: timestamp.meta({ description: 'When the event was recorded.' }),
    occurred_at: timestamp.meta({
      description: 'The own time of the event. Equals `timestamp` if the caller sent no time.',
    }),
    voided_at: timestamp.optional().meta({
      description:
        'When the event was voided. Present only in voided events, which include=voided adds to ' +
        'the list.',
    }),
    void_reason: z.string().optional().meta({
      description: 'Why it was voided. Present if the void has a reason.',
    }),
  })
  .meta({ id: 'ListedEvent' })

const timelineReply = success({ items: itemsOf(timelineItem), next_cursor: nextCursor }).meta({
  id: 'TimelineReply',
})

function itemOf(event: TimelineItem): z.infer<typeof timelineItem> {
  return {
    id: event.id,
    name: event.name,
    properties: event.properties,
    timestamp: event.recordedAt,
    occurred_at: event.occurredAt,
    voided_at: event.voidedAt,
    void_reason: event.voidReason,
  }
}

export const getTimeline = readRoute({
  operationId: 'getTimeline',
  summary: 'The events of an entity, by own time or by time of recording.',
  description: 'A page.',
  path: entityPath('/entities/{external_id}/events'),
  query: timelineQuery,
  reply: timelineReply,
  faults: ['entity_not_found', 'validation_failed'],
  answer: async ({ path: { external_id: externalId }, ...asked }, { reading, clock }) => {
    const { by, order, name, since, until, include } = asked.query
    const past = pastOf(asked.query, clock)
    const listed = { externalId, by, order, since, until, ...past }
    const { value, position, next_cursor } = await readPage(
      [
        ...['events', externalId, by, order],
        ...[name ?? null, since ?? null, until ?? null],
        ...boundsScope(past),
        ...(include === undefined ? [] : [include]),
      ],
      asked,
      (page: PageQuery<TimelineCursor>, want) =>
        reading.read(
          'timeline',
          { ...listed, name, withVoided: include === 'voided', ...page },
          want,
        ),
    )
    return { data: { items: value.items.map(itemOf), next_cursor }, position }
  },
})
