import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  Fact,
  SegmentBuilt,
  SegmentRetired,
} from 'dossier/subscription'
import { z } from 'zod'

/** A change of who is in a segment. */
export type Change = EntityEnteredSegment | EntityLeftSegment

/** What a mirror of a segment follows. */
export type SegmentFact = Change | SegmentBuilt | SegmentRetired

export const segmentFactTypes = [
  'EntityEnteredSegment',
  'EntityLeftSegment',
  'SegmentBuilt',
  'SegmentRetired',
] as const

export function isSegmentFact(fact: Fact): fact is SegmentFact {
  return segmentFactTypes.some((type) => type === fact.type)
}

const text = z.string()
const version = z.int().min(1)

const causes = ['event', 'properties', 'created', 'hand', 'segment', 'time'] as const
const member = z.object({ segment: text, version, entityId: text, at: text })
const entered = member.extend({
  cause: z.object({ kind: z.enum(causes), factId: text.exactOptional() }),
})
const left = member.extend({
  cause: z.object({ kind: z.enum([...causes, 'erased']), factId: text.exactOptional() }),
})
const built = z.object({
  segment: text,
  version,
  resolved: z.record(text, z.int()),
  through: text,
  members: z.int(),
  digest: text,
  builtAt: text,
})
const retired = z.object({ segment: text, version, retiredAt: text })

/** Such a fact as the feed gives it; what is read from elsewhere is checked. Throws when it is none. */
export function segmentFactOf(given: unknown): SegmentFact {
  return segmentFact.parse(given)
}

const segmentFact = z.discriminatedUnion('type', [
  z.object({ id: text, type: z.literal('EntityEnteredSegment'), data: entered }),
  z.object({ id: text, type: z.literal('EntityLeftSegment'), data: left }),
  z.object({ id: text, type: z.literal('SegmentBuilt'), data: built }),
  z.object({ id: text, type: z.literal('SegmentRetired'), data: retired }),
])
