import { z } from 'zod'
import type {
  Membership,
  MembershipPeriod,
  PeriodBound,
} from '../../../application/segments/ports/segment-queries.js'
import { enteringCauses } from '../../../domain/segments/segment-facts.js'
import { why } from './rule-schemas.js'
import { timestamp } from './common.js'

const periodBound = z
  .strictObject({
    at: timestamp,
    cause: z
      .strictObject({
        kind: z.enum([...enteringCauses, 'definition']).meta({ description: 'The kind of cause.' }),
        fact_id: z.string().optional().meta({
          description: 'The id of the fact that caused the change. Absent if no fact caused it.',
        }),
      })
      .meta({ description: 'The cause of the change.' }),
  })
  .meta({ id: 'MembershipChange', description: 'An entry into a segment, or an exit.' })

const period = z.strictObject({
  entered: periodBound.meta({ description: 'The entry.' }),
  left: periodBound
    .nullable()
    .meta({ description: 'The exit. Null while the entity is a member.' }),
})

/** The reply member that lists the segments that are not backfilled in this process yet. */
export const building = z
  .array(z.string())
  .optional()
  .meta({
    description:
      'The keys of segments that this process does not serve yet. Membership in these segments ' +
      'is unknown until they are built. Absent if there are none.',
  })

/**
 * Returns the reply member `segments_building`, which lists the segments in `keys`. Returns no
 * member when the list is empty.
 */
export function buildingData(keys: readonly string[]): { segments_building?: string[] } {
  return keys.length === 0 ? {} : { segments_building: [...keys] }
}

export const until = timestamp.nullable().meta({
  description:
    'The first instant at which membership changes if no more facts are recorded. Null if it ' +
    'never changes.',
})

export const membership = {
  member: z.boolean().meta({ description: 'Whether the entity is a member.' }),
  since: timestamp
    .nullable()
    .meta({ description: 'The entry of a current member. Null if the entity is not a member.' }),
  until,
  periods: z
    .array(period)
    .meta({ description: 'All periods during which the entity was a member.' }),
  why: z.lazy(() => why).meta({ description: 'The rule, with the findings of each part.' }),
}

const membershipObject = z.strictObject(membership)

export function membershipData(given: Membership): z.infer<typeof membershipObject> {
  return {
    member: given.member,
    since: given.since ?? null,
    until: given.until ?? null,
    periods: given.periods.map(periodData),
    why: given.why,
  }
}

function periodData({ entered, left }: MembershipPeriod): z.infer<typeof period> {
  return { entered: boundData(entered), left: left === undefined ? null : boundData(left) }
}

function boundData({ at, cause: { kind, factId } }: PeriodBound): z.infer<typeof periodBound> {
  return { at, cause: { kind, ...(factId === undefined ? {} : { fact_id: factId }) } }
}
