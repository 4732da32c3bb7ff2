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
import { effectiveAt, recordedView, validView, type EntityView } from './naive-view.js'
import type { Rule } from './rule-grammar.js'

/** A change of membership. */
export interface NaiveChange {
  readonly isMember: boolean
  readonly at: number
  /** The fact that did it; undefined: time did. */
  readonly fact: TimedFact | undefined
  /** Of the last fact that was known when it happened: `fact`, or the one before the time passed. */
  readonly index: number
}

/**
 * All changes of an entity's membership in the recorded timeline, in order: between two facts membership
 * is looked at, at every instant at which it could change, then at the second of them. `after`: only
 * those after the fact at this index.
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

/** Those by facts up to this one. Time that passes after a fact has passed when the next one comes. */
export function changesUpTo(changes: readonly NaiveChange[], last: number): readonly NaiveChange[] {
  return changes.filter(({ index, fact }) => index < last || (index === last && fact !== undefined))
}

/** Since when it is a member by these changes; undefined when it is none. */
export function sinceOf(
  changes: readonly Pick<NaiveChange, 'isMember' | 'at'>[],
): number | undefined {
  const last = changes.at(-1)
  return last?.isMember === true ? last.at : undefined
}

/**
 * The first instant after `T` at which a rule differs from what it is at `T` for an entity as a timeline
 * has it, if nothing more is recorded; undefined: never.
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

/** All changes of membership up to `T` in the valid timeline. What was recorded later counts, too. */
export function validChanges(
  log: readonly TimedFact[],
  key: string,
  externalId: string,
  T: number,
): readonly Pick<NaiveChange, 'isMember' | 'at'>[] {
  const own = log.filter((fact) => isOfEntity(fact, externalId))
  const view = validView(own, Number.POSITIVE_INFINITY)
  const instants = own.map(effectiveAt)
  const span = { from: Number.NEGATIVE_INFINITY, to: T }
  const changes: Pick<NaiveChange, 'isMember' | 'at'>[] = []
  for (const at of candidatesOf(rulesBehind(liveSegments(log), key), view, instants, span)) {
    const now = isValidMember(log, key, externalId, at)
    if (now !== (changes.at(-1)?.isMember ?? false)) changes.push({ isMember: now, at })
  }
  return changes
}

/** After `from`, up to `to`. */
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
 * Every instant at which membership could change, in order: one that the entity's facts name, or one that
 * is a duration of the rules away from one, or the millisecond after that.
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

/** The rule of a segment and those of all that it names. */
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

/** Whatever looks like a duration: one too many is one look too many. */
function durationsIn(rule: Rule): readonly number[] {
  const texts = JSON.stringify(rule).split('"')
  return [...new Set(texts.filter(isDuration).map(durationMs))]
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.values(value).flatMap(textsIn)
}
