import type { InPieces } from '../../in-pieces.js'
import type { AllEvents } from './all-events.js'
import { compileRule, type CompileOptions } from '../rule/compiled-rule.js'
import type { EntityView } from './entity-state.js'
import { evaluate, firstChange } from './evaluate.js'
import { parsePointer } from '../rule/pointer.js'
import type { CountRule, LastRule, PropertyRule, Rule } from '../rule/rule.js'
import { durationMs, instantIn } from '../rule/instant-test.js'

/** A rule as JSON, in which each part has its result and the data that led to the result. */
export interface Why {
  readonly holds: boolean
  /** The instant at which the result changes without new facts: UTC with milliseconds. Null when there is none. */
  readonly until: string | null
  readonly [member: string]: unknown
}

interface Explained {
  readonly events: AllEvents
  /** The view of the entity: an `AtAnyInstant` that reads event conditions from `events`. */
  readonly entity: EntityView
  /** The log time, in milliseconds since 1970. */
  readonly now: number
  readonly options: CompileOptions
}

/**
 * Explains why a rule holds for an entity or does not hold. Returns the rule with the result and findings of
 * each part.
 *
 * - `until` is the first instant at which the result of the part changes without new facts.
 * - `not_a_time` means that the property's value is not a time, so `before` and `after` fail.
 * - `explained.events` must contain the matchers of this rule and of all rules that the rule depends on.
 */
export function* explain(rule: Rule, explained: Explained): InPieces<Why> {
  const { events, entity, now, options } = explained
  const { node, matchers } = compileRule(rule, options)
  const { holds } = evaluate(node, entity, now)
  const until = timeOf(yield* firstChange(node, entity, now))
  yield
  if ('all' in rule) return { holds, all: yield* explainAll(rule.all, explained), until }
  if ('any' in rule) return { holds, any: yield* explainAll(rule.any, explained), until }
  if ('not' in rule) return { holds, not: yield* explain(rule.not, explained), until }
  if ('event' in rule) {
    const matcher = matchers[0]?.id ?? ''
    return { ...rule, holds, ...foundBy(rule, matcher, events, now), until }
  }
  if (!('property' in rule)) return { ...rule, holds, until }
  return { ...rule, holds, ...valueFound(rule, entity), until }
}

function valueFound({ property, is }: PropertyRule, entity: EntityView): object {
  const value = entity.property(parsePointer(property))
  if (value === undefined) return {}
  const isOfTime = 'before' in is || 'after' in is
  return { value, ...(isOfTime && instantIn(value) === undefined ? { not_a_time: true } : {}) }
}

function* explainAll(rules: readonly Rule[], explained: Explained): InPieces<readonly Why[]> {
  const parts: Why[] = []
  for (const rule of rules) parts.push(yield* explain(rule, explained))
  return parts
}

function foundBy(
  rule: CountRule | LastRule,
  matcher: string,
  events: AllEvents,
  now: number,
): object {
  const newest = events.evidenceOf(matcher)
  if ('last' in rule) return { evidence: newest.slice(0, 1).map(evidenceJson) }
  const { within, count = { gte: 1 } } = rule
  const withinMs = within === undefined ? Infinity : (durationMs(within) ?? Number.NaN)
  const isCounted = (at: number) => now - withinMs < at
  return {
    counted: events.instantsOf(matcher).filter(isCounted).length,
    needed: { ...count },
    evidence: newest.filter(({ at }) => isCounted(at)).map(evidenceJson),
  }
}

function evidenceJson({ factId, at }: { factId: string; at: number }): object {
  return { fact_id: factId, occurred_at: new Date(at).toISOString() }
}

function timeOf(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString()
}
