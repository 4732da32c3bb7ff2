import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import {
  maxCurveDays,
  type MemberChange,
  type MemberChangesCursor,
} from '../../../application/segments/ports/segment-queries.js'
import { enteringCauses } from '../../../domain/segments/segment-facts.js'
import { cursor, dayOrInstant, instant, limit } from '../requests/parameters.js'
import { queryFault } from '../requests/query.js'
import { readRoute } from './declared-read.js'
import { readPage } from '../requests/cursor.js'
import { count, externalId, itemsOf, nextCursor, success, timestamp } from '../schemas/common.js'
import { segmentHeaders, segmentPath } from '../schemas/segment-schemas.js'

const change = z
  .strictObject({
    external_id: externalId,
    at: timestamp.meta({ description: 'The log time of the change.' }),
    change: z.enum(['enter', 'leave']).meta({ description: 'Whether the entity entered or left.' }),
    cause: z
      .strictObject({
        kind: z.enum(enteringCauses).meta({ description: 'The kind of cause.' }),
        fact_id: z.string().optional().meta({
          description:
            'The id of the fact that caused the change. Absent if the passing of time caused it.',
        }),
      })
      .meta({ description: 'The cause of the change.' }),
  })
  .meta({ id: 'RecordedChange' })

const changesReply = success({ items: itemsOf(change), next_cursor: nextCursor }).meta({
  id: 'MemberChangesReply',
})

function changeData({ externalId, at, enters, cause }: MemberChange): z.infer<typeof change> {
  const { kind, factId } = cause
  return {
    external_id: externalId,
    at,
    change: enters ? 'enter' : 'leave',
    cause: { kind, ...(factId === undefined ? {} : { fact_id: factId }) },
  }
}

const listMemberChanges = readRoute({
  operationId: 'listMemberChanges',
  summary: 'The entities that entered and left a segment, newest first, and why.',
  description:
    'A page of the changes since the segment was last created. A new version can replace many ' +
    'members at once. The page does not list these changes.',
  path: segmentPath('/segments/{key}/changes'),
  query: z.strictObject({
    since: instant('Only changes at this time or later.'),
    until: instant('Only changes before this time.'),
    cursor,
    limit,
  }),
  replyHeaders: segmentHeaders,
  reply: changesReply,
  faults: ['segment_not_found', 'validation_failed', 'building'],
  answer: async ({ path: { key }, ...asked }, { reading }) => {
    const { since, until } = asked.query
    const { value, next_cursor, ...applied } = await readPage(
      ['changes', key, since ?? null, until ?? null],
      asked,
      (page: PageQuery<MemberChangesCursor>, want) =>
        reading.read('segmentChanges', { key, since, until, ...page }, want),
    )
    return { data: { items: value.items.map(changeData), next_cursor }, ...applied }
  },
})

const dayMs = 86_400_000

const curveReply = success({
  items: itemsOf(
    z
      .strictObject({
        day: z.string().meta({ format: 'date', description: 'The UTC day.' }),
        members: count.meta({
          description:
            'The number of members at the end of the day. For the day of the log time, the current ' +
            'number.',
        }),
      })
      .meta({ id: 'MembersOfDay' }),
    'The days, oldest first.',
  ),
}).meta({ id: 'SegmentCurveReply' })

const getSegmentCurve = readRoute({
  operationId: 'getSegmentCurve',
  summary: 'The number of members of a segment at the end of each day, and now.',
  description:
    `Every UTC day of the period, at most ${String(maxCurveDays)} days. The earliest day is ` +
    'the day on which the segment was first served. After a retirement, the days begin anew.',
  path: segmentPath('/segments/{key}/curve'),
  query: z.strictObject({
    since: dayOrInstant('The first day. Default: 90 days before the end.'),
    until: dayOrInstant('Only days that begin before this time. Default: up to now.'),
  }),
  replyHeaders: segmentHeaders,
  reply: curveReply,
  faults: ['segment_not_found', 'validation_failed', 'building'],
  answer: async ({ path: { key }, query, want }, { reading, clock }) => {
    const { since, until } = query
    const now = clock.now().getTime()
    if (since !== undefined) refuseTooLong(since, Math.min(until ?? now, now))
    const { value, ...applied } = await reading.read('segmentCurve', { key, since, until }, want)
    return { data: { items: [...value] }, ...applied }
  },
})

/** Throws `malformed_request` when the period has more than `maxCurveDays` days. */
function refuseTooLong(since: number, until: number): void {
  if (Math.floor((until - 1) / dayMs) - Math.floor(since / dayMs) < maxCurveDays) return
  const message = `must be at most ${String(maxCurveDays)} days before until, or before now`
  throw queryFault('since', 'number_out_of_range', message)
}

export const segmentChangeReads = [listMemberChanges, getSegmentCurve]
