import type { ActiveSegment } from './membership/membership.js'
import { dependencyOrder } from './named-segments.js'
import type { DefinedSegment } from './timeline.js'

/**
 * Segments and all that they depend on, each after what it depends on. `find`: a segment by the id that
 * evaluation has for it; what is not found is left out.
 */
export function dependenciesFirst(
  wanted: readonly ActiveSegment[],
  find: (id: string) => DefinedSegment | undefined,
): readonly DefinedSegment[] {
  const ids = wanted.map(({ id }) => id)
  const ordered = dependencyOrder(ids, (id) => find(id)?.active.rule?.segments ?? [])
  return [...ordered].flatMap((id) => find(id) ?? [])
}

/** By the id that evaluation has for them. */
export function byActiveId(
  segments: readonly DefinedSegment[],
): ReadonlyMap<string, DefinedSegment> {
  return new Map(segments.map((segment) => [segment.active.id, segment]))
}
