import type { CompiledRule } from '../../../../domain/segments/compiled-rule.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { KnownConditions } from './state-text.js'

/** What some rules look at. */
export interface Conditions {
  readonly names: ReadonlySet<string>
  readonly conditions: ReadonlySet<string>
  readonly segments: ReadonlySet<string>
}

/** What the rules of these segments look at. */
export function conditionsOf(segments: Iterable<DefinedSegment>): Conditions {
  const names = new Set<string>()
  const conditions = new Set<string>()
  const ids = new Set<string>()
  for (const { active } of segments) {
    ids.add(active.id)
    for (const name of active.rule?.names ?? []) names.add(name)
    for (const { id } of partsOf(active.rule)) conditions.add(id)
  }
  return { names, conditions, segments: ids }
}

/** Of states that have been kept for these alone, from the first one on. */
export function allAlong({ names, conditions, segments }: Conditions): KnownConditions {
  const since = (ids: ReadonlySet<string>) => new Map([...ids].map((id) => [id, 0]))
  return { names: since(names), conditions: since(conditions), segments, epoch: undefined }
}

function partsOf(rule: CompiledRule | undefined) {
  return rule === undefined ? [] : [...rule.matchers, ...rule.heldTests]
}
