import { segmentsNamedBy } from './named-segments.js'
import type { DefinedSegment, TimelineStep } from './timeline.js'

/** The steps that bear on some segments: theirs, and those of all that they depend on or ever did. */
export function relatedSteps(
  steps: readonly TimelineStep[],
  wanted: readonly DefinedSegment[],
): readonly TimelineStep[] {
  const keys = relatedKeys(steps, wanted)
  const isRelated = ({ key }: { readonly key: string }) => keys.has(key)
  return steps.flatMap((step) => {
    const changes = step.changes.filter(isRelated)
    const segments = step.segments.filter(isRelated)
    const isRelevant = changes.length > 0 || segments.some(({ through }) => through === step.since)
    return isRelevant ? [{ ...step, changes, segments }] : []
  })
}

function relatedKeys(
  steps: readonly TimelineStep[],
  wanted: readonly DefinedSegment[],
): ReadonlySet<string> {
  const keys = new Set(wanted.map(({ key }) => key))
  const all = new Set(steps.flatMap(({ segments }) => segments))
  for (let size = 0; size < keys.size;) {
    size = keys.size
    for (const { key, rule } of all) {
      if (rule === undefined || !keys.has(key)) continue
      for (const named of segmentsNamedBy(rule)) keys.add(named)
    }
  }
  return keys
}
