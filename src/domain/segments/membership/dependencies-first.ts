import type { ActiveSegment } from './membership.js'
import type { DefinedSegment } from '../timeline.js'

/**
 * Segments and all that they depend on, each after what it depends on. `find`: a segment by the id that
 * evaluation knows it by; what is not found is left out.
 */
export function dependenciesFirst(
  wanted: readonly ActiveSegment[],
  find: (id: string) => DefinedSegment | undefined,
): readonly DefinedSegment[] {
  const ordered = new Map<string, DefinedSegment>()
  const visit = (id: string): void => {
    const segment = find(id)
    if (segment === undefined || ordered.has(id)) return
    for (const named of segment.active.rule?.segments ?? []) visit(named)
    ordered.set(id, segment)
  }
  for (const { id } of wanted) visit(id)
  return [...ordered.values()]
}

/** All that were ever defined, by the id that evaluation knows them by. */
export function byActiveId(
  lists: Iterable<{ readonly segments: readonly DefinedSegment[] }>,
): ReadonlyMap<string, DefinedSegment> {
  const found = new Map<string, DefinedSegment>()
  for (const { segments } of lists) {
    for (const segment of segments) found.set(segment.active.id, segment)
  }
  return found
}
