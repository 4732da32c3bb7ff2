import type { Json } from '../../../src/domain/json.js'
import { ruleHolds, type LiveSegments } from './naive-membership.js'
import { ruleUntil } from './naive-timeline.js'
import { timeOf, valueAt } from './naive-values.js'
import type { EntityFact, TimedFact } from './log-facts.js'
import { ownTimeOf, type EntityView } from './naive-view.js'
import type { Count, CountRule, LastRule, PropertyRule, Rule } from './rule-grammar.js'

/** The data that decides an explanation. */
export interface Known {
  readonly segments: LiveSegments
  readonly entity: EntityView
  /** The facts of the entity that have an effect, in the order of recording. */
  readonly facts: readonly (TimedFact & EntityFact)[]
  readonly T: number
}

export interface JudgedWhy {
  readonly holds: boolean
  readonly until: string | null
  readonly all?: readonly JudgedWhy[]
  readonly any?: readonly JudgedWhy[]
  readonly not?: JudgedWhy
  readonly value?: Json
  readonly not_a_time?: true
  readonly counted?: number
  readonly needed?: Count
  readonly evidence?: readonly { readonly fact_id: string; readonly occurred_at: string }[]
}

/** Returns the expected explanation of a rule, node by node, as the contract defines it. */
export function whyOf(rule: Rule, known: Known): JudgedWhy {
  const { segments, entity, T } = known
  const until = ruleUntil(segments, rule, entity, T)
  const found = {
    holds: ruleHolds(segments, rule, entity, T),
    until: until === undefined ? null : new Date(until).toISOString(),
  }
  if ('all' in rule) return { ...found, all: rule.all.map((part) => whyOf(part, known)) }
  if ('any' in rule) return { ...found, any: rule.any.map((part) => whyOf(part, known)) }
  if ('not' in rule) return { ...found, not: whyOf(rule.not, known) }
  if ('event' in rule) return { ...rule, ...found, ...eventsBehind(rule, known) }
  if (!('property' in rule)) return { ...rule, ...found }
  return { ...rule, ...found, ...valueBehind(rule, entity) }
}

function valueBehind({ property, is }: PropertyRule, entity: EntityView): Partial<JudgedWhy> {
  const value = valueAt(entity.states.at(-1)?.properties ?? {}, property)
  if (value === undefined) return {}
  const isOfTime = 'before' in is || 'after' in is
  const isTime = typeof value === 'string' && timeOf(value) !== undefined
  return isOfTime && !isTime ? { value, not_a_time: true } : { value }
}

function eventsBehind(rule: CountRule | LastRule, known: Known): Partial<JudgedWhy> {
  if ('last' in rule) {
    const { last: _, ...anyOfThem } = rule
    return { evidence: counting(anyOfThem, known).slice(0, 1) }
  }
  const counted = counting(rule, known)
  const needed = rule.count ?? { gte: 1 }
  return { counted: counted.length, needed, evidence: counted.slice(0, 100) }
}

/**
 * Returns the counted events, newest first. Of two events at one instant, the event that was recorded later comes
 * first.
 */
function counting(rule: CountRule, { segments, entity, facts, T }: Known) {
  const { count: _, ...one } = rule
  return facts
    .filter((fact) => fact.type === 'EventRecorded')
    .map((fact) => ({ ...fact.data, fact_id: fact.id, occurredAt: ownTimeOf(fact) }))
    .filter((event) => ruleHolds(segments, one, { ...entity, events: [event] }, T))
    .toReversed()
    .toSorted((left, right) => right.occurredAt - left.occurredAt)
    .map((event) => ({
      fact_id: event.fact_id,
      occurred_at: new Date(event.occurredAt).toISOString(),
    }))
}

/** Returns all nodes of a rule, including the rule itself, each with its explanation. */
export function nodesOf(rule: Rule, why: JudgedWhy): readonly (readonly [Rule, JudgedWhy])[] {
  const inside = (part: Rule, found: JudgedWhy | undefined) =>
    found === undefined ? [] : nodesOf(part, found)
  const self = [rule, why] as const
  if ('all' in rule) return [self, ...rule.all.flatMap((part, at) => inside(part, why.all?.[at]))]
  if ('any' in rule) return [self, ...rule.any.flatMap((part, at) => inside(part, why.any?.[at]))]
  return 'not' in rule ? [self, ...inside(rule.not, why.not)] : [self]
}
