import { z } from 'zod'
import type { EntityProfile } from '../../../application/reading/ports/read-model.js'
import { isOfPast, type PastBounds } from '../../../application/segments/ports/segment-queries.js'
import { readRoute } from './declared-read.js'
import { entityPath } from './route.js'
import { building, buildingData } from '../schemas/membership-schemas.js'
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
} from '../schemas/common.js'

const bound = timestamp.nullable().optional().meta({
  description:
    'The sent time, or null if it was not sent. Absent if neither as_of nor known_at was sent.',
})

const profileReply = success(
  {
    external_id: externalId,
    entity_id: entityId,
    properties: sentProperties,
    created_at: timestamp.meta({
      description:
        "The own time of the entity's creation. It can be later than as_of, if the entity has an " +
        'earlier change or event.',
    }),
    recorded_at: recordedAt,
    updated_at: timestamp.meta({
      description: "The latest own time among the entity's creation and its property changes.",
    }),
    event_count: count.meta({ description: "The number of the entity's events." }),
    last_event_at: timestamp
      .nullable()
      .meta({ description: "The own time of the entity's latest event. Null without events." }),
    segments: z.array(z.strictObject({ key: segmentName, since: timestamp })).meta({
      description: 'The segments of which the entity is a member, and since when.',
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
  summary: 'The profile of an entity: now, at a past time, or as it was known at a past time.',
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
