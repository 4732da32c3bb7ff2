import { Conditions } from './conditions.js'
import { SegmentSet } from './membership.js'
import type { DefinedSegment } from '../timeline.js'

/**
 * Makes the sets that evaluate segments after each of their definitions. Each set has the conditions of
 * all lists, so that a later definition finds what came before it. Lists are compared by identity.
 * `others`: of what they have in common with these, the sets have what the others need, too.
 */
export function segmentSets(
  lists: readonly (readonly DefinedSegment[])[],
  others: readonly DefinedSegment[] = [],
): (segments: readonly DefinedSegment[]) => SegmentSet {
  const rules = new Set([...lists.flat(), ...others].flatMap(({ active }) => active.rule ?? []))
  const conditions = new Conditions(rules)
  const sets = new Map<readonly DefinedSegment[], SegmentSet>()
  return (segments) => {
    const cached = sets.get(segments)
    if (cached !== undefined) return cached
    const set = new SegmentSet(
      segments.map(({ active }) => active),
      conditions,
    )
    sets.set(segments, set)
    return set
  }
}
