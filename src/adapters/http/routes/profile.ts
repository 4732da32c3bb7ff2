import { z } from 'zod'
import type { EntityProfile } from '../../../application/reading/ports/read-model.js'
import { isOfPast, type PastBounds } from '../../../application/segments/ports/segment-queries.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import { building, buildingData } from './membership-schemas.js'
import { pastOf, pastQuery } from './past-bounds.js'
import {
  count,
  entityId,
  externalId,
  isoOf,
  recordedAt,
  segmentName,
  sentProperties,
  success,
  timestamp,
} from './schemas.js'

const bound = timestamp
  .nullable()
  .optional()
  .meta({ description: 'Present if as_of or known_at was sent; null: no bound.' })

const profileReply = success(
  {
    external_id: externalId,
    entity_id: entityId,
    properties: sentProperties,
    created_at: timestamp.meta({
      description:
        'The own time of its creation. With as_of, it may be later than as_of: an earlier change or event suffices.',
    }),
    recorded_at: recordedAt,
    updated_at: timestamp.meta({
      description: 'The latest own time of a property change or of its creation.',
    }),
    event_count: count.meta({ description: 'The number of its events.' }),
    last_event_at: timestamp
      .nullable()
      .meta({ description: 'When its latest event occurred; null without events.' }),
    segments: z.array(z.strictObject({ key: segmentName, since: timestamp })).meta({
      description: 'The segments of which it is a member, and since when.',
    }),
    segments_building: building,
    as_of: bound,
    known_at: bound,
  },
  'Profile',
).meta({ id: 'ProfileReply' })

type ProfileData = z.infer<typeof profileReply>['data']

function dataOf(profile: EntityProfile): ProfileData {
  const data = {
    external_id: profile.externalId,
    entity_id: profile.entityId,
    properties: profile.properties,
    created_at: profile.createdAt,
    recorded_at: profile.recordedAt,
    updated_at: profile.updatedAt,
    event_count: profile.eventCount,
    last_event_at: profile.lastEventAt ?? null,
    segments: [...profile.segments],
  }
  const { segmentsBuilding } = profile
  return segmentsBuilding.length === 0 ? data : { ...data, ...buildingData(segmentsBuilding) }
}

/** Returns the profile of an entity, now or in the past. */
export const getProfile = readRoute({
  operationId: 'getProfile',
  summary: 'The profile of an entity: now, as of a time, or as it was known at a time.',
  description: 'The profile.',
  path: entityPath('/entities/{external_id}'),
  query: pastQuery,
  reply: profileReply,
  faults: ['entity_not_found', 'validation_failed', 'too_many_facts'],
  answer: async ({ path: { external_id: externalId }, query, want }, { reading, clock }) => {
    const past = pastOf(query, clock)
    const isBounded = isOfPast(past)
    const name = isBounded ? 'profileAt' : 'profile'
    const { value, position } = await reading.read(name, { externalId, ...past }, want)
    const data = dataOf(value)
    return { data: isBounded ? { ...data, ...echoed(past) } : data, position }
  },
})

function echoed({ asOf, knownAt }: PastBounds) {
  return { as_of: isoOf(asOf), known_at: isoOf(knownAt) }
}
