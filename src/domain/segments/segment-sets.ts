import { Conditions } from './conditions.js'
import { SegmentSet } from './membership.js'
import type { DefinedSegment } from './timeline.js'

/**
 * Makes what evaluates some segments after each of their definitions: each keeps the conditions of all
 * of them, so that a later definition finds what came before it. Lists are known by their identity.
 * `others`: of what they have in common with these they keep as much as these ask for.
 */
export function segmentSets(
  lists: readonly (readonly DefinedSegment[])[],
  others: readonly DefinedSegment[] = [],
): (segments: readonly DefinedSegment[]) => SegmentSet {
  const rules = new Set([...lists.flat(), ...others].flatMap(({ active }) => active.rule ?? []))
  const conditions = new Conditions(rules)
  const sets = new Map<readonly DefinedSegment[], SegmentSet>()
  return (segments) => {
    const known = sets.get(segments)
    if (known !== undefined) return known
    const set = new SegmentSet(
      segments.map(({ active }) => active),
      conditions,
    )
    sets.set(segments, set)
    return set
  }
}
