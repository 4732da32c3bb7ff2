import { z } from 'zod'
import type {
  Membership,
  MembershipPeriod,
  PeriodBound,
} from '../../../application/segments/ports/segment-queries.js'
import { enteringCauses } from '../../../domain/segments/segment-facts.js'
import { why } from './rule-schemas.js'
import { timestamp } from './schemas.js'

/** Whether an entity is in a segment, and why: what several replies share. */

const periodBound = z.strictObject({
  at: timestamp,
  cause: z.strictObject({
    kind: z.enum([...enteringCauses, 'definition']).meta({ description: 'What did it.' }),
    fact_id: z.string().optional().meta({ description: 'Of the fact that did it, if one did.' }),
  }),
})

const period = z.strictObject({
  entered: periodBound,
  left: periodBound.nullable().meta({ description: 'Null: it is in it still.' }),
})

/** Beside the segments that an entity is in. */
export const building = z.array(z.string()).optional().meta({
  description:
    'There when nothing is served here yet of some segments: their keys. Whether the entity is in them is not known until they are built.',
})

/** What is said of segments of which nothing is served. */
export function buildingData(keys: readonly string[]): { segments_building?: string[] } {
  return keys.length === 0 ? {} : { segments_building: [...keys] }
}

export const until = timestamp.nullable().meta({
  description: 'The first instant at which it differs, if nothing is recorded; null: never.',
})

export const membership = {
  member: z.boolean(),
  since: timestamp.nullable().meta({ description: 'Null: it is not in it.' }),
  until,
  periods: z.array(period),
  why,
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
