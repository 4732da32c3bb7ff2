import { z } from 'zod'
import type { VersionOfSegment } from '../../../application/segments/ports/segment-queries.js'
import { noQuery } from '../requests/query.js'
import { header } from './components.js'
import { readRoute } from './declared-read.js'
import { plainPath } from './route.js'
import { success, timestamp } from './schemas.js'
import {
  definition,
  segment,
  segmentData,
  segmentHeaders,
  segmentPath,
  segmentReply,
} from './segment-schemas.js'

const listReply = success({ items: z.array(segment) }).meta({ id: 'SegmentListReply' })

const segmentVersion = z.strictObject({
  ...definition,
  defined_at: timestamp,
  retired_at: timestamp
    .nullable()
    .meta({ description: 'When the segment was retired at this version; null if it was not.' }),
})

const versionsReply = success({ items: z.array(segmentVersion) }).meta({
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
  description: 'All of them.',
  path: plainPath('/segments'),
  query: noQuery,
  replyHeaders: segmentHeaders,
  reply: listReply,
  faults: [],
  answer: async ({ want }, { reading }) => {
    const { value, ...applied } = await reading.read('segments', {}, want)
    return { data: { items: value.map(segmentData) }, ...applied }
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
  summary: 'All versions of a segment, newest first, also of a retired segment.',
  description: 'All of them.',
  path: segmentPath('/segments/{key}/versions'),
  query: noQuery,
  replyHeaders: segmentHeaders,
  reply: versionsReply,
  faults: ['segment_not_found', 'validation_failed'],
  answer: async ({ path: { key }, want }, { reading }) => {
    const { value, ...applied } = await reading.read('segmentVersions', { key }, want)
    return { data: { items: value.map(versionData) }, ...applied }
  },
})

export const segmentReads = [listSegments, getSegment, listSegmentVersions]
