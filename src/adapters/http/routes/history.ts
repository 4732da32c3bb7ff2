import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { HistoryItem, TimelineCursor } from '../../../application/reading/ports/read-model.js'
import { cursor, instant, limit } from '../requests/parameters.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import { boundsScope, pastOf, pastQuery } from './past-bounds.js'
import { readPage } from '../requests/cursor.js'
import {
  itemsOf,
  nextCursor,
  sentProperties,
  success,
  timestamp,
  unsetNames,
} from '../schemas/common.js'

const historyQuery = z.strictObject({
  by: z
    .enum(['recorded', 'occurred'])
    .default('recorded')
    .meta({
      description:
        'The time to which order, since and until refer: `recorded` is the time of recording, ' +
        '`occurred` the own time.',
    }),
  order: z
    .enum(['desc', 'asc'])
    .default('desc')
    .meta({
      description:
        'The order by the time that `by` selects. Changes with equal times are in the order of ' +
        'recording.',
    }),
  since: instant('Only changes at this time or later.'),
  until: instant('Only changes before this time.'),
  ...pastQuery.shape,
  cursor,
  limit,
})

const historyItem = z
  .strictObject({
    fact_id: z.string().meta({ description: 'The id of the fact that contains the change.' }),
    changed_at: timestamp.meta({ description: 'When the change was recorded.' }),
    occurred_at: timestamp.meta({
      description: 'The own time of the change. Equals `changed_at` if the caller sent no time.',
    }),
    set: sentProperties,
    unset: unsetNames,
    request_id: z.string().meta({ description: 'The id of the request that made the change.' }),
  })
  .meta({ id: 'HistoryEntry' })

const historyReply = success({ items: itemsOf(historyItem), next_cursor: nextCursor }).meta({
  id: 'HistoryReply',
})

function itemOf(change: HistoryItem): z.infer<typeof historyItem> {
  return {
    fact_id: change.factId,
    changed_at: change.changedAt,
    occurred_at: change.occurredAt,
    set: change.set,
    unset: [...change.unset],
    request_id: change.requestId,
  }
}

export const getHistory = readRoute({
  operationId: 'getHistory',
  summary:
    'The creation of an entity and the changes of its properties, by time of recording or by ' +
    'own time.',
  description: 'A page. It includes changes that a change with a later own time overrides.',
  path: entityPath('/entities/{external_id}/history'),
  query: historyQuery,
  reply: historyReply,
  faults: ['entity_not_found', 'validation_failed'],
  answer: async ({ path: { external_id: externalId }, ...asked }, { reading, clock }) => {
    const { by, order, since, until } = asked.query
    const past = pastOf(asked.query, clock)
    const listed = { externalId, by, order, since, until, ...past }
    const scope = [since ?? null, until ?? null, ...boundsScope(past)]
    const isPlain = by === 'recorded' && order === 'desc' && scope.every((one) => one === null)
    const { value, position, next_cursor } = isPlain
      ? await readPage(['history', externalId], asked, async (page: PageQuery<number>, want) => {
          const after = page.after === undefined ? undefined : { at: 0, position: page.after }
          const answer = await reading.read('history', { ...listed, ...page, after }, want)
          const { items, next } = answer.value
          return { ...answer, value: { items, next: next?.position } }
        })
      : await readPage(
          ['history', externalId, by, order, ...scope],
          asked,
          (page: PageQuery<TimelineCursor>, want) =>
            reading.read('history', { ...listed, ...page }, want),
        )
    return { data: { items: value.items.map(itemOf), next_cursor }, position }
  },
})
