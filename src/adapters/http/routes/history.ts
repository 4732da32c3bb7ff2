import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { HistoryItem } from '../../../application/reading/ports/read-model.js'
import { cursor, limit } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import { readPage } from '../requests/cursor.js'
import { itemsOf, nextCursor, sentProperties, success, timestamp, unsetNames } from './schemas.js'

const historyItem = z
  .strictObject({
    fact_id: z.string().meta({ description: 'The id of the fact that changed it.' }),
    changed_at: timestamp,
    set: sentProperties,
    unset: unsetNames,
    request_id: z.string().meta({ description: 'The id of the request that changed it.' }),
  })
  .meta({ id: 'HistoryEntry' })

const historyReply = success({ items: itemsOf(historyItem), next_cursor: nextCursor }).meta({
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
  summary: "The changes of an entity's properties, newest first. The creation is last.",
  description: 'A page.',
  path: entityPath('/entities/{external_id}/history'),
  query: z.strictObject({ cursor, limit }),
  reply: historyReply,
  faults: ['entity_not_found', 'validation_failed'],
  answer: async ({ path: { external_id: externalId }, ...asked }, { reading }) => {
    const { value, position, next_cursor } = await readPage(
      ['history', externalId],
      asked,
      (page: PageQuery<number>, want) => reading.read('history', { externalId, ...page }, want),
    )
    return { data: { items: value.items.map(itemOf), next_cursor }, position }
  },
})
