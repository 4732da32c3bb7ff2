import { compileRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import type { Rule } from '../../../../../domain/segments/rule/rule.js'
import { byActiveId, dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import type { DefinedSegment, Timeline } from '../../../../../domain/segments/timeline.js'
import { nameCondition } from '../hashes.js'

/** Other ids are of a position and a number. */
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

/** A rule that was never stored, as a segment. `there`: the segments that it may name. */
export function trialOf(rule: Rule, there: readonly DefinedSegment[]): DefinedSegment {
  const ids = new Map(there.map(({ key, active }) => [key, active.id]))
  const segmentId = (key: string) => ids.get(key)
  const active = { id: trialId, rule: compileRule(rule, { nameOf: nameCondition, segmentId }) }
  return { ...trialSegment, rule, active }
}

/** These segments and all that they depend on, each after what it depends on; a trial may be one of them. */
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
