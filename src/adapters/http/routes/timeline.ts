import { z } from 'zod'
import type { TimelineItem } from '../../../application/reading/ports/read-model.js'
import { cursor, defaultLimit, instant, limit, named, oneOf } from '../requests/parameters.js'
import type { Query } from '../requests/query.js'
import { externalIdOf, pathParameters } from './entity-path.js'
import { jsonSchema } from './components.js'
import { PageCursors } from './page-cursors.js'
import { readOperation } from './read-operation.js'
import { addReadRoute } from './read-route.js'
import type { ReadParts, Resource } from './resource.js'
import { nextCursor, sentProperties, success, timestamp } from './schemas.js'

const by = oneOf('by', 'Which time the order, since and until are about.', ['occurred', 'recorded'])
const order = oneOf('order', 'By that time; equal ones in the order of recording.', ['desc', 'asc'])
const eventName = named('name', 'Only events of exactly this name.')
const since = instant('since', 'Only events of then or later.')
const until = instant('until', 'Only events before then.')

const parameters = [by, order, eventName, since, until, cursor, limit]

const timelineItem = z.strictObject({
  id: z.string(),
  name: z.string(),
  properties: sentProperties,
  timestamp: timestamp.meta({ description: 'When it was recorded.' }),
  occurred_at: timestamp.meta({
    description: 'When it happened; when it was recorded, if that was not sent.',
  }),
})

const timelineReply = success({ items: z.array(timelineItem), next_cursor: nextCursor })

function itemOf(event: TimelineItem): z.infer<typeof timelineItem> {
  return {
    id: event.id,
    name: event.name,
    properties: event.properties,
    timestamp: event.recordedAt,
    occurred_at: event.occurredAt,
  }
}

function eventsAskedFor(query: Query) {
  return {
    by: query.of(by) ?? 'occurred',
    order: query.of(order) ?? 'desc',
    name: query.of(eventName),
    since: query.of(since)?.getTime(),
    until: query.of(until)?.getTime(),
  }
}

/** `GET /entities/{external_id}/events`: an entity's events. */
export const timeline: Resource<ReadParts> = {
  paths: {
    '/entities/{external_id}/events': {
      get: readOperation({
        operationId: 'getTimeline',
        summary: "An entity's events, by when they occurred or were recorded.",
        description: 'A page.',
        pathParameters,
        parameters,
        reply: 'TimelineReply',
        faults: ['entity_not_found', 'validation_failed'],
      }),
    },
  },
  schemas: { TimelineReply: jsonSchema(timelineReply, 'output') },
  addRoutes: (server, parts) => {
    addReadRoute(server, parts, {
      url: '/entities/:external_id/events',
      parameters,
      answer: async ({ request, query, want }) => {
        const events = eventsAskedFor(query)
        const count = query.of(limit) ?? defaultLimit
        const sent = query.of(cursor)
        const externalId = externalIdOf(request)
        const { name = null, since = null, until = null } = events
        const cursors = new PageCursors([
          'events',
          externalId,
          events.by,
          events.order,
          name,
          since,
          until,
        ])
        const { place, want: wanted } = cursors.read(sent, want)
        const [at = 0, position = 0] = place ?? []
        const after = place === undefined ? undefined : { at, position }
        const asked = { externalId, ...events, after, limit: count }
        const page = await parts.reading.read('timeline', asked, wanted)
        const { items, next } = page.value
        const ends = next === undefined ? undefined : [next.at, next.position]
        const next_cursor = cursors.next(ends, page.position)
        return { data: { items: items.map(itemOf), next_cursor }, position: page.position }
      },
    })
  },
}
