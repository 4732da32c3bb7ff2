import { compileRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import type { Rule } from '../../../../../domain/segments/rule/rule.js'
import { byActiveId, dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import type { DefinedSegment, Timeline } from '../../../../../domain/segments/timeline.js'
import { nameCondition } from '../hashes.js'

/** The id of a rule that is not stored. The ids of stored rules have another form. */
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

/** Returns a segment with a rule that is not stored. `there` lists the segments that the rule may refer to. */
export function trialOf(rule: Rule, there: readonly DefinedSegment[]): DefinedSegment {
  const ids = new Map(there.map(({ key, active }) => [key, active.id]))
  const segmentId = (key: string) => ids.get(key)
  const active = { id: trialId, rule: compileRule(rule, { nameOf: nameCondition, segmentId }) }
  return { ...trialSegment, rule, active }
}

/**
 * Returns the segments and the segments that their rules refer to. A segment comes after the segments that its
 * rule refers to. `segments` may include a trial segment.
 */
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
