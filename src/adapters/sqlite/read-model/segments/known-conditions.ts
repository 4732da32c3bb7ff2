import type { CompiledRule } from '../../../../domain/segments/compiled-rule.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { KnownConditions } from './state-text.js'

/** What the rules of these segments look at. */
export function conditionsOf(segments: Iterable<DefinedSegment>): KnownConditions {
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
