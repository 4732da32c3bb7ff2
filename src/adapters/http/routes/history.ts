import { z } from 'zod'
import type { HistoryItem } from '../../../application/reading/ports/read-model.js'
import { cursor, defaultLimit, limit } from '../requests/parameters.js'
import { externalIdOf, pathParameters } from './entity-path.js'
import { jsonSchema } from './components.js'
import { PageCursors } from './page-cursors.js'
import { readOperation } from './read-operation.js'
import { addReadRoute } from './read-route.js'
import type { ReadParts, Resource } from './resource.js'
import { nextCursor, sentProperties, success, timestamp } from './schemas.js'

const parameters = [cursor, limit]

const historyItem = z.strictObject({
  fact_id: z.string(),
  changed_at: timestamp,
  set: sentProperties,
  unset: z.array(z.string()),
  request_id: z.string().meta({ description: 'Of the request that changed it.' }),
})

const historyReply = success({ items: z.array(historyItem), next_cursor: nextCursor })

function itemOf(change: HistoryItem): z.infer<typeof historyItem> {
  return {
    fact_id: change.factId,
    changed_at: change.changedAt,
    set: change.set,
    unset: [...change.unset],
    request_id: change.requestId,
  }
}

/** `GET /entities/{external_id}/history`: how an entity's properties changed. */
export const history: Resource<ReadParts> = {
  paths: {
    '/entities/{external_id}/history': {
      get: readOperation({
        operationId: 'getHistory',
        summary: "The changes of an entity's properties, newest first, its creation last.",
        description: 'A page.',
        pathParameters,
        parameters,
        reply: 'HistoryReply',
        faults: ['entity_not_found', 'validation_failed'],
      }),
    },
  },
  schemas: { HistoryReply: jsonSchema(historyReply, 'output') },
  addRoutes: (server, parts) => {
    addReadRoute(server, parts, {
      url: '/entities/:external_id/history',
      parameters,
      answer: async ({ request, query, want }) => {
        const count = query.of(limit) ?? defaultLimit
        const sent = query.of(cursor)
        const externalId = externalIdOf(request)
        const cursors = new PageCursors(['history', externalId])
        const { place, want: wanted } = cursors.read(sent, want)
        const asked = { externalId, after: place?.[0], limit: count }
        const { value, position } = await parts.reading.read('history', asked, wanted)
        const next = cursors.next(value.next === undefined ? undefined : [value.next], position)
        return { data: { items: value.items.map(itemOf), next_cursor: next }, position }
      },
    })
  },
}
