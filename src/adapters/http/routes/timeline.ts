import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { TimelineCursor, TimelineItem } from '../../../application/reading/ports/read-model.js'
import { cursor, instant, limit, named, oneOf } from '../requests/parameters.js'
import type { Query } from '../requests/query.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import { readPage } from '../requests/cursor.js'
import { nextCursor, sentProperties, success, timestamp } from './schemas.js'

const by = oneOf('by', 'Which time the order, since and until are about.', ['occurred', 'recorded'])
const order = oneOf('order', 'By that time; equal ones in the order of recording.', ['desc', 'asc'])
const eventName = named('name', 'Only events of exactly this name.')
const since = instant('since', 'Only events of then or later.')
const until = instant('until', 'Only events before then.')

const timelineItem = z.strictObject({
  id: z.string(),
  name: z.string(),
  properties: sentProperties,
  timestamp: timestamp.meta({ description: 'When it was recorded.' }),
  occurred_at: timestamp.meta({
    description: 'When it happened; when it was recorded, if that was not sent.',
  }),
})

const timelineReply = success({ items: z.array(timelineItem), next_cursor: nextCursor }).meta({
  id: 'TimelineReply',
})

function itemOf(event: TimelineItem): z.infer<typeof timelineItem> {
  return {
    id: event.id,
    name: event.name,
    properties: event.properties,
    timestamp: event.recordedAt,
    occurred_at: event.occurredAt,
  }
}

function eventsWanted(query: Query) {
  return {
    by: query.of(by) ?? 'occurred',
    order: query.of(order) ?? 'desc',
    name: query.of(eventName),
    since: query.of(since)?.getTime(),
    until: query.of(until)?.getTime(),
  }
}

export const getTimeline = readRoute({
  operationId: 'getTimeline',
  summary: "An entity's events, by when they occurred or were recorded.",
  description: 'A page.',
  path: entityPath('/entities/{external_id}/events'),
  query: [by, order, eventName, since, until, cursor, limit],
  reply: timelineReply,
  faults: ['entity_not_found', 'validation_failed'],
  answer: async ({ path: { external_id: externalId }, ...asked }, { reading }) => {
    const events = eventsWanted(asked.query)
    const { name = null, since: from = null, until: to = null } = events
    const { value, position, next_cursor } = await readPage(
      ['events', externalId, events.by, events.order, name, from, to],
      asked,
      (page: PageQuery<TimelineCursor>, want) =>
        reading.read('timeline', { externalId, ...events, ...page }, want),
    )
    return { data: { items: value.items.map(itemOf), next_cursor }, position }
  },
})
