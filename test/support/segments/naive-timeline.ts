import type { Json } from '../../../src/domain/json.js'
import { isOfEntity, type TimedFact } from './log-facts.js'
import {
  isRecordedMember,
  isValidMember,
  liveSegments,
  ruleHolds,
  type LiveSegments,
} from './naive-membership.js'
import { durationMs, isDuration, timeOf } from './naive-values.js'
import { ownTimeOf, recordedView, validView, type EntityView } from './naive-view.js'
import type { Rule } from './rule-grammar.js'

/** A change of membership. */
export interface NaiveChange {
  readonly isMember: boolean
  readonly at: number
  /** The fact that caused the change. Undefined: time caused it. */
  readonly fact: TimedFact | undefined
  /**
   * The index of the last fact that was known at the change. This is the causing fact, or the last fact before a change
   * that time caused.
   */
  readonly index: number
}

/**
 * Returns all changes of an entity's membership on the recorded timeline, in order. Evaluates membership at every
 * instant between two facts at which it could change, and then at the second fact. With `after`, returns only changes
 * after the fact at this index.
 */
export function recordedChanges(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  after = -1,
): readonly NaiveChange[] {
  const changes: NaiveChange[] = []
  const was = after >= 0 && isRecordedMember(log.slice(0, after + 1), key, externalId)
  const look = (index: number, at: number, fact: TimedFact | undefined) => {
    const now = isRecordedMember(log.slice(0, index + 1), key, externalId, at)
    if (now !== (changes.at(-1)?.isMember ?? was)) changes.push({ isMember: now, at, fact, index })
  }
  log.forEach((fact, index) => {
    if (index <= after) return
    const before = log.slice(0, index)
    const from = before.at(-1)?.logTime ?? 0
    for (const at of recordedCandidates(before, key, externalId, { from, to: fact.logTime })) {
      look(index - 1, at, undefined)
    }
    look(index, fact.logTime, fact)
  })
  return changes
}

/**
 * Returns the changes caused by facts up to this index. Time after a fact passes only when the next fact arrives.
 */
export function changesUpTo(changes: readonly NaiveChange[], last: number): readonly NaiveChange[] {
  return changes.filter(({ index, fact }) => index < last || (index === last && fact !== undefined))
}

/** Returns since when the entity is a member. Undefined when it is not. */
export function sinceOf(
  changes: readonly Pick<NaiveChange, 'isMember' | 'at'>[],
): number | undefined {
  const last = changes.at(-1)
  return last?.isMember === true ? last.at : undefined
}

/**
 * Returns the first instant after `T` at which the rule's result changes if nothing more is recorded. Undefined:
 * never.
 */
export function ruleUntil(
  segments: LiveSegments,
  rule: Rule,
  entity: EntityView,
  T: number,
): number | undefined {
  const now = ruleHolds(segments, rule, entity, T)
  const span = { from: T, to: Number.POSITIVE_INFINITY }
  return candidatesOf(withNamed(segments, rule), entity, [], span).find(
    (at) => ruleHolds(segments, rule, entity, at) !== now,
  )
}

/**
 * Returns all changes of membership up to `T` on the valid timeline. Facts that were recorded later count, too.
 */
export function validChanges(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  T: number,
): readonly Pick<NaiveChange, 'isMember' | 'at'>[] {
  const own = log.filter((fact) => isOfEntity(fact, externalId))
  const view = validView(own, Number.POSITIVE_INFINITY)
  const instants = own.map(ownTimeOf)
  const span = { from: Number.NEGATIVE_INFINITY, to: T }
  const changes: Pick<NaiveChange, 'isMember' | 'at'>[] = []
  for (const at of candidatesOf(rulesBehind(liveSegments(log), key), view, instants, span)) {
    const now = isValidMember(log, key, externalId, at)
    if (now !== (changes.at(-1)?.isMember ?? false)) changes.push({ isMember: now, at })
  }
  return changes
}

/** The instants after `from`, up to and including `to`. */
interface Span {
  readonly from: number
  readonly to: number
}

function recordedCandidates(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  span: Span,
): readonly number[] {
  if (span.from === span.to) return []
  const own = log.filter((fact) => isOfEntity(fact, externalId))
  return candidatesOf(rulesBehind(liveSegments(log), key), recordedView(own), [], span)
}

/**
 * Returns every instant at which membership could change, in order: the instants in the entity's facts, these instants
 * plus or minus a duration of the rules, and the millisecond after each.
 */
function candidatesOf(
  rules: readonly Rule[],
  entity: EntityView | undefined,
  further: readonly number[],
  { from, to }: Span,
): readonly number[] {
  if (entity === undefined) return []
  const named = new Set([...instantsOf(entity), ...further])
  const away = rules.flatMap(durationsIn)
  const instants = [...named].flatMap((instant) =>
    [0, ...away, ...away.map((ms) => -ms)].flatMap((ms) => [instant + ms, instant + ms + 1]),
  )
  const candidates = new Set(instants.filter((at) => at > from && at <= to))
  return [...candidates].toSorted((left, right) => left - right)
}

function instantsOf({ createdAt, events, states }: EntityView): readonly number[] {
  return [
    createdAt,
    ...events.map(({ occurredAt }) => occurredAt),
    ...states.map(({ from }) => from),
    ...states.flatMap(({ properties }) =>
      textsIn(properties).flatMap((text) => timeOf(text) ?? []),
    ),
  ]
}

/** Returns the rule of a segment and of all segments that it refers to. */
function rulesBehind(segments: LiveSegments, key: string): readonly Rule[] {
  const rule = segments.get(key)?.rule
  return rule === undefined ? [] : withNamed(segments, rule)
}

function withNamed(segments: LiveSegments, rule: Rule): readonly Rule[] {
  return [rule, ...segmentsNamedIn(rule).flatMap((named) => rulesBehind(segments, named))]
}

export function segmentsNamedIn(rule: Rule): readonly string[] {
  if ('all' in rule) return rule.all.flatMap(segmentsNamedIn)
  if ('any' in rule) return rule.any.flatMap(segmentsNamedIn)
  if ('not' in rule) return segmentsNamedIn(rule.not)
  return 'segment' in rule ? [rule.segment] : []
}

/**
 * Returns all texts in a rule that look like durations. A superfluous duration only causes one more evaluation.
 */
function durationsIn(rule: Rule): readonly number[] {
  const texts = JSON.stringify(rule).split('"')
  return [...new Set(texts.filter(isDuration).map(durationMs))]
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(textsIn)
}
