import { z } from 'zod'
import type { PageQuery } from '../../../application/reading/ports/query.js'
import type { VersionOfSegment } from '../../../application/segments/ports/segment-queries.js'
import { readPage } from '../requests/cursor.js'
import { cursor, limit } from '../requests/parameters.js'
import { noQuery } from '../requests/query.js'
import { header } from '../schemas/components.js'
import { readRoute } from './declared-read.js'
import { plainPath } from './route.js'
import { itemsOf, nextCursor, success, timestamp } from '../schemas/common.js'
import {
  definition,
  segment,
  segmentData,
  segmentHeaders,
  segmentPath,
  segmentReply,
} from '../schemas/segment-schemas.js'

const listReply = success({ items: itemsOf(segment), next_cursor: nextCursor }).meta({
  id: 'SegmentListReply',
})

const pageQuery = z.strictObject({ cursor, limit })

const segmentVersion = z
  .strictObject({
    ...definition,
    defined_at: timestamp,
    retired_at: timestamp.nullable().meta({
      description: 'When the segment was retired at this version. Null if it was not retired.',
    }),
  })
  .meta({ id: 'SegmentVersion' })

const versionsReply = success({
  items: itemsOf(segmentVersion),
  next_cursor: nextCursor,
}).meta({
  id: 'SegmentVersionsReply',
})

function versionData(given: VersionOfSegment): z.infer<typeof segmentVersion> {
  return {
    key: given.key,
    version: given.version,
    title: given.title,
    kind: given.kind,
    rule: given.rule ?? null,
    defined_at: given.definedAt,
    retired_at: given.retiredAt ?? null,
  }
}

const listSegments = readRoute({
  operationId: 'listSegments',
  summary: 'All segments, ordered by key.',
  description: 'A page.',
  path: plainPath('/segments'),
  query: pageQuery,
  replyHeaders: segmentHeaders,
  reply: listReply,
  faults: [],
  answer: async (asked, { reading }) => {
    const { value, next_cursor, ...applied } = await readPage(
      ['segments'],
      asked,
      (page: PageQuery<string>, want) => reading.read('segmentList', page, want),
    )
    return { data: { items: value.items.map(segmentData), next_cursor }, ...applied }
  },
})

const getSegment = readRoute({
  operationId: 'getSegment',
  summary: 'A segment: its newest version, and the version that is served.',
  description: 'The segment.',
  path: segmentPath('/segments/{key}'),
  query: noQuery,
  replyHeaders: { ...segmentHeaders, ETag: header('ETag') },
  reply: segmentReply,
  faults: ['segment_not_found', 'validation_failed'],
  answer: async ({ path: { key }, want }, { reading }) => {
    const { value, ...applied } = await reading.read('segment', { key }, want)
    return { data: segmentData(value), ...applied, version: value.version }
  },
})

const listSegmentVersions = readRoute({
  operationId: 'listSegmentVersions',
  summary: 'All versions of a segment, newest first, even if the segment is retired.',
  description: 'A page.',
  path: segmentPath('/segments/{key}/versions'),
  query: pageQuery,
  replyHeaders: segmentHeaders,
  reply: versionsReply,
  faults: ['segment_not_found', 'validation_failed'],
  answer: async ({ path: { key }, ...asked }, { reading }) => {
    const { value, next_cursor, ...applied } = await readPage(
      ['segment versions', key],
      asked,
      (page: PageQuery<number>, want) => reading.read('segmentVersions', { key, ...page }, want),
    )
    return { data: { items: value.items.map(versionData), next_cursor }, ...applied }
  },
})

export const segmentReads = [listSegments, getSegment, listSegmentVersions]
