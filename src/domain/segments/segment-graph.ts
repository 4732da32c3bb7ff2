import type { ActiveSegment } from './membership/membership.js'
import { dependencyOrder, segmentsNamedBy } from './named-segments.js'
import type { DefinedSegment, TimelineStep } from './timeline.js'

/**
 * The wanted segments and all their dependencies, each after its own dependencies. `find` returns a segment
 * by its active id. Segments that it does not find are left out.
 */
export function dependenciesFirst(
  wanted: readonly ActiveSegment[],
  find: (id: string) => DefinedSegment | undefined,
): readonly DefinedSegment[] {
  const ids = wanted.map(({ id }) => id)
  const ordered = dependencyOrder(ids, (id) => find(id)?.active.rule?.segments ?? [])
  return [...ordered].flatMap((id) => find(id) ?? [])
}

/** All that were ever defined, by the id that evaluation has for them. */
export function byActiveId(
  lists: Iterable<{ readonly segments: readonly DefinedSegment[] }>,
): ReadonlyMap<string, DefinedSegment> {
  const found = new Map<string, DefinedSegment>()
  for (const { segments } of lists) {
    for (const segment of segments) found.set(segment.active.id, segment)
  }
  return found
}

/** The steps that bear on some segments: theirs, and those of all that they depend on or ever did. */
export function relatedSteps(
  steps: readonly TimelineStep[],
  wanted: readonly DefinedSegment[],
): readonly TimelineStep[] {
  const named = new Map<string, Set<string>>()
  for (const { key, rule } of new Set(steps.flatMap(({ segments }) => segments))) {
    if (rule === undefined) continue
    named.set(key, new Set([...(named.get(key) ?? []), ...segmentsNamedBy(rule)]))
  }
  const wantedKeys = wanted.map(({ key }) => key)
  const keys = dependencyOrder(wantedKeys, (key) => named.get(key) ?? [])
  const isRelated = ({ key }: { readonly key: string }) => keys.has(key)
  return steps.flatMap((step) => {
    const changes = step.changes.filter(isRelated)
    const segments = step.segments.filter(isRelated)
    const isRelevant = changes.length > 0 || segments.some(({ through }) => through === step.since)
    return isRelevant ? [{ ...step, changes, segments }] : []
  })
}
