import { z } from 'zod'
import type { VersionOfSegment } from '../../../application/reading/ports/segment-queries.js'
import { header, jsonSchema } from './components.js'
import { readOperation } from './read-operation.js'
import { addReadRoute } from './read-route.js'
import type { ReadParts, Resource } from './resource.js'
import { success, timestamp } from './schemas.js'
import { definition, keyOf, segment, segmentData, segmentParameter } from './segment-schemas.js'

const listReply = success({ items: z.array(segment) })

const segmentVersion = z.strictObject({
  ...definition,
  defined_at: timestamp,
  retired_at: timestamp
    .nullable()
    .meta({ description: 'When the segment was retired at this version; null: it was not.' }),
})

const versionsReply = success({ items: z.array(segmentVersion) })

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

/** Headers of every reply about segments. */
export const segmentHeaders = { 'Log-Time': header('LogTime') }

/** `GET /segments`, `GET /segments/{key}` and its versions: what segments there are, and were. */
export const segments: Resource<ReadParts> = {
  paths: {
    '/segments': {
      get: readOperation({
        operationId: 'listSegments',
        summary: 'The segments that there are, by key.',
        description: 'All of them.',
        parameters: [],
        replyHeaders: segmentHeaders,
        reply: 'SegmentListReply',
        faults: ['building'],
      }),
    },
    '/segments/{key}': {
      get: readOperation({
        operationId: 'getSegment',
        summary: 'A segment: its newest version, and what is served of it.',
        description: 'The segment.',
        pathParameters: segmentParameter,
        parameters: [],
        replyHeaders: { ...segmentHeaders, ETag: header('ETag') },
        reply: 'SegmentReply',
        faults: ['segment_not_found', 'validation_failed', 'building'],
      }),
    },
    '/segments/{key}/versions': {
      get: readOperation({
        operationId: 'listSegmentVersions',
        summary: 'All versions of a segment, newest first, also of one that was retired.',
        description: 'All of them.',
        pathParameters: segmentParameter,
        parameters: [],
        replyHeaders: segmentHeaders,
        reply: 'SegmentVersionsReply',
        faults: ['segment_not_found', 'validation_failed', 'building'],
      }),
    },
  },
  schemas: {
    SegmentListReply: jsonSchema(listReply, 'output'),
    SegmentVersionsReply: jsonSchema(versionsReply, 'output'),
  },
  addRoutes: (server, parts) => {
    const { reading } = parts
    addReadRoute(server, parts, {
      url: '/segments',
      parameters: [],
      answer: async ({ want }) => {
        const { value, ...known } = await reading.read('segments', {}, want)
        return { data: { items: value.map(segmentData) }, ...known }
      },
    })
    addReadRoute(server, parts, {
      url: '/segments/:key',
      parameters: [],
      answer: async ({ request, want }) => {
        const { value, ...known } = await reading.read('segment', { key: keyOf(request) }, want)
        return { data: segmentData(value), ...known, version: value.version }
      },
    })
    addReadRoute(server, parts, {
      url: '/segments/:key/versions',
      parameters: [],
      answer: async ({ request, want }) => {
        const asked = { key: keyOf(request) }
        const { value, ...known } = await reading.read('segmentVersions', asked, want)
        return { data: { items: value.map(versionData) }, ...known }
      },
    })
  },
}
