import type { ActiveSegment } from './membership/membership.js'
import { dependencyOrder } from './named-segments.js'
import type { DefinedSegment } from './timeline.js'

/**
 * Returns the wanted segments and all their dependencies. In the list, each segment comes after its own dependencies. `find`
 * returns a segment by its active id. Segments for which `find` returns undefined are left out.
 */
export function dependenciesFirst(
  wanted: readonly ActiveSegment[],
  find: (id: string) => DefinedSegment | undefined,
): readonly DefinedSegment[] {
  const ids = wanted.map(({ id }) => id)
  const ordered = dependencyOrder(ids, (id) => find(id)?.active.rule?.segments ?? [])
  return [...ordered].flatMap((id) => find(id) ?? [])
}

/** Maps segments by their active id. */
export function byActiveId(
  segments: readonly DefinedSegment[],
): ReadonlyMap<string, DefinedSegment> {
  return new Map(segments.map((segment) => [segment.active.id, segment]))
}
