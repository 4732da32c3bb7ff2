import type { CompiledRule } from '../../../../domain/segments/compiled-rule.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'

/** What some rules look at. */
export interface RuleConditions {
  /** Of properties, at the top. */
  readonly names: ReadonlySet<string>
  /** Matchers, and tests that must hold for some time. */
  readonly conditions: ReadonlySet<string>
  readonly segments: ReadonlySet<string>
}

/** What the rules of these segments look at. */
export function conditionsOf(segments: Iterable<DefinedSegment>): RuleConditions {
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

function partsOf(rule: CompiledRule | undefined) {
  return rule === undefined ? [] : [...rule.matchers, ...rule.heldTests]
}
