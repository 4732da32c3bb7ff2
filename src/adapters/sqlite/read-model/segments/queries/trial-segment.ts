import { compileRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import type { Rule } from '../../../../../domain/segments/rule/rule.js'
import { byActiveId, dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import type { DefinedSegment, Timeline } from '../../../../../domain/segments/timeline.js'
import { nameCondition } from '../hashes.js'

/** Ids of stored rules have a position and a number, so none equals this id. */
const trialId = 'trial'

const trialSegment: Omit<DefinedSegment, 'active' | 'rule'> = {
  key: '',
  version: 0,
  title: '',
  kind: 'rule',
  definedAt: '',
  isForeign: false,
  resolved: {},
  through: { position: 0, factId: '', logTime: 0 },
  activeFrom: 0,
}

/** Makes a segment of a rule that is not stored. `there` lists the segments that the rule may name. */
export function trialOf(rule: Rule, there: readonly DefinedSegment[]): DefinedSegment {
  const ids = new Map(there.map(({ key, active }) => [key, active.id]))
  const segmentId = (key: string) => ids.get(key)
  const active = { id: trialId, rule: compileRule(rule, { nameOf: nameCondition, segmentId }) }
  return { ...trialSegment, rule, active }
}

/** The segments and their dependencies, dependencies first. The segments may include a trial. */
export function withDependencies(
  segments: readonly DefinedSegment[],
  timeline: Timeline,
): readonly DefinedSegment[] {
  const own = byActiveId(segments)
  return dependenciesFirst(
    segments.map(({ active }) => active),
    (id) => own.get(id) ?? timeline.active(id),
  )
}
