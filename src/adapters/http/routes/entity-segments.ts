import { z } from 'zod'
import type { EntitySegment } from '../../../application/segments/ports/segment-queries.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import {
  building,
  buildingData,
  membership,
  membershipData,
  until,
} from '../schemas/membership-schemas.js'
import { pastOf, pastQuery } from './past-bounds.js'
import { itemsOf, segmentName, success, timestamp } from '../schemas/common.js'
import { memberPath, segmentHeaders, version } from '../schemas/segment-schemas.js'

const entitySegment = z.strictObject({ key: segmentName, version, since: timestamp, until })

const entitySegmentsReply = success(
  {
    items: itemsOf(entitySegment, 'The segments of the entity.'),
    segments_building: building,
  },
  'EntitySegments',
).meta({ id: 'EntitySegmentsReply' })

const explanationReply = success(
  { segment: segmentName, version, ...membership },
  'Explanation',
).meta({
  id: 'ExplanationReply',
})

function itemOf(given: EntitySegment): z.infer<typeof entitySegment> {
  const { key, version: its, since } = given
  return { key, version: its, since, until: given.until ?? null }
}

const getEntitySegments = readRoute({
  operationId: 'getEntitySegments',
  summary: 'The segments of an entity: now, at a past time, or as they were known at a past time.',
  description: 'All segments of the entity, ordered by key.',
  path: entityPath('/entities/{external_id}/segments'),
  query: pastQuery,
  replyHeaders: segmentHeaders,
  reply: entitySegmentsReply,
  faults: ['entity_not_found', 'validation_failed', 'too_many_facts'],
  answer: async ({ path: { external_id: externalId }, query, want }, { reading, clock }) => {
    const parameters = { ...pastOf(query, clock), externalId }
    const { value, ...applied } = await reading.read('entitySegments', parameters, want)
    const data = { items: value.items.map(itemOf), ...buildingData(value.building) }
    return { data, ...applied }
  },
})

const explainSegment = readRoute({
  operationId: 'explainSegment',
  summary: 'Whether an entity is a member of a segment, since when and until when, and why.',
  description: 'The explanation. For an entity that is not a member, it shows what is missing.',
  path: memberPath('/entities/{external_id}/segments/{key}'),
  query: pastQuery,
  replyHeaders: segmentHeaders,
  reply: explanationReply,
  faults: [
    'entity_not_found',
    'segment_not_found',
    'validation_failed',
    'too_many_facts',
    'building',
  ],
  answer: async ({ path: { key, external_id: externalId }, query, want }, { reading, clock }) => {
    const parameters = { ...pastOf(query, clock), key, externalId }
    const { value, ...applied } = await reading.read('explainSegment', parameters, want)
    const { segment, version: its } = value
    return { data: { segment, version: its, ...membershipData(value) }, ...applied }
  },
})

export const membershipReads = [getEntitySegments, explainSegment]
