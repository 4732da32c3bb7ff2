import { z } from 'zod'
import type { HistoryItem } from '../../../application/reading/ports/read-model.js'
import { cursor, defaultLimit, limit } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import { PageCursors } from '../requests/cursor.js'
import { nextCursor, sentProperties, success, timestamp } from './schemas.js'

const historyItem = z.strictObject({
  fact_id: z.string(),
  changed_at: timestamp,
  set: sentProperties,
  unset: z.array(z.string()),
  request_id: z.string().meta({ description: 'Of the request that changed it.' }),
})

const historyReply = success({ items: z.array(historyItem), next_cursor: nextCursor }).meta({
  id: 'HistoryReply',
})

function itemOf(change: HistoryItem): z.infer<typeof historyItem> {
  return {
    fact_id: change.factId,
    changed_at: change.changedAt,
    set: change.set,
    unset: [...change.unset],
    request_id: change.requestId,
  }
}

export const getHistory = readRoute({
  operationId: 'getHistory',
  summary: "The changes of an entity's properties, newest first, its creation last.",
  description: 'A page.',
  path: entityPath('/entities/{external_id}/history'),
  query: [cursor, limit],
  reply: historyReply,
  faults: ['entity_not_found', 'validation_failed'],
  answer: async ({ path: { external_id: externalId }, query, want }, { reading }) => {
    const count = query.of(limit) ?? defaultLimit
    const cursors = new PageCursors(['history', externalId])
    const { place, want: wanted } = cursors.read(query.of(cursor), want)
    const parameters = { externalId, after: place?.[0], limit: count }
    const { value, position } = await reading.read('history', parameters, wanted)
    const next = cursors.next(value.next === undefined ? undefined : [value.next], position)
    return { data: { items: value.items.map(itemOf), next_cursor: next }, position }
  },
})
