import type { EffectOf, PropertyChange, VoidedEvent } from '../../facts.js'
import type { Json, JsonObject } from '../../json.js'
import type { CompiledRule } from '../rule/compiled-rule.js'
import { matches } from './all-events.js'
import type { EntityState } from './entity-state.js'
import { passesWhere, type SustainedTest, type Matcher } from '../rule/matcher.js'
import { valueAt } from '../rule/pointer.js'
import type { EventName } from '../rule/rule.js'
import { passes } from '../rule/value-test.js'

/**
 * Is called with the id of each condition that a fact changed, and with `propertyTouched(name)` for each
 * changed property.
 */
export type Touch = (what: string) => void

/** An event, with its own time in milliseconds since 1970. */
export interface PlacedEvent {
  readonly event: EffectOf<'event'>['event']
  readonly at: number
}

/** The facts of the entity up to the current fact. Only late changes and voids read them. */
export interface EarlierFacts {
  /**
   * Returns the earliest own time after `after` at which the property was set or unset. Undefined when there is
   * none.
   */
  readonly nextChange: (name: string, after: number) => number | undefined
  /** Returns the event that the current fact voids. Undefined when that event did not count. */
  readonly voided: (event: VoidedEvent) => PlacedEvent | undefined
  /**
   * Yields the events with own times up to `until`, newest first, without voided events. If own times are
   * equal, the event with the higher position comes first. May leave out events that `name` does not match.
   */
  readonly newestEvents: (name: EventName, until: number) => Iterable<PlacedEvent>
}

/**
 * Returns the text that stands for a changed property. The slash distinguishes this text from the ids of
 * conditions.
 */
export function propertyTouched(name: string): string {
  return `/${name}`
}

/** The conditions of many rules, without duplicates. The methods update the state that the conditions need. */
export class Conditions {
  private readonly exact = new Map<string, Matcher[]>()
  private readonly prefixed: { readonly prefix: string; readonly matcher: Matcher }[] = []
  /** The tests of `for` conditions, by the property that they test. */
  readonly sustainedTests = new Map<string, SustainedTest[]>()
  /** The `for` conditions whose test passes for a missing value. They may hold from an entity's first moment on. */
  private readonly missingTests: readonly SustainedTest[]
  private readonly names = new Set<string>()

  constructor(rules: Iterable<CompiledRule>) {
    const matchers = new Map<string, Matcher>()
    const tests = new Map<string, SustainedTest>()
    for (const rule of rules) {
      for (const name of rule.names) this.names.add(name)
      for (const test of rule.sustainedTests) tests.set(test.id, test)
      for (const matcher of rule.matchers) {
        const keep = Math.max(matcher.keep, matchers.get(matcher.id)?.keep ?? 0)
        matchers.set(matcher.id, { ...matcher, keep })
      }
    }
    for (const matcher of matchers.values()) this.addMatcher(matcher)
    for (const test of tests.values()) addTo(this.sustainedTests, test.steps[0] ?? '', test)
    this.missingTests = [...tests.values()].filter(({ test }) => passes(test, undefined))
  }

  private addMatcher(matcher: Matcher): void {
    const { event } = matcher
    if (typeof event === 'string') addTo(this.exact, event, matcher)
    else this.prefixed.push({ prefix: event.starts_with, matcher })
  }

  concernEvent(name: string): boolean {
    return this.exact.has(name) || this.prefixed.some(({ prefix }) => name.startsWith(prefix))
  }

  /** `isPast` is true when the own time of the change is earlier than log time. */
  concernProperties({ set, unset }: PropertyChange, isPast: boolean): boolean {
    return (
      (isPast && this.missingTests.length > 0) ||
      unset.some((name) => this.names.has(name)) ||
      this.concernNames(set)
    )
  }

  concernCreation(properties: JsonObject): boolean {
    return this.sustainedTests.size > 0 || this.concernNames(properties)
  }

  private concernNames(properties: JsonObject): boolean {
    return Object.keys(properties).some((name) => this.names.has(name))
  }

  /** Updates the state for an event. `at` is the own time of the event, in milliseconds since 1970. */
  event(state: EntityState, event: EffectOf<'event'>['event'], at: number, touch: Touch): void {
    for (const matcher of this.matchersOf(event.name)) match(state, matcher, event, at, touch)
  }

  /** Updates the state for a void. Reads earlier events only for conditions that counted the voided event. */
  voided(state: EntityState, event: VoidedEvent, earlier: EarlierFacts, touch: Touch): void {
    const matchers = [...this.matchersOf(event.name)]
    const placed = matchers.length === 0 ? undefined : earlier.voided(event)
    if (placed === undefined) return
    for (const matcher of matchers) unmatch(state, matcher, placed, earlier, touch)
  }

  private *matchersOf(name: string): Generator<Matcher, void> {
    yield* this.exact.get(name) ?? []
    for (const { prefix, matcher } of this.prefixed) if (name.startsWith(prefix)) yield matcher
  }

  /** Updates the state for a creation or a change. `at` is the own time of the fact, in milliseconds since 1970. */
  properties(
    state: EntityState,
    { set, unset }: PropertyChange,
    at: number,
    nextChange: EarlierFacts['nextChange'],
    touch: Touch,
  ): void {
    this.beginEarlier(state, at, touch)
    for (const name of this.names) {
      const isSet = Object.hasOwn(set, name)
      if (!isSet && !unset.includes(name)) continue
      const value = isSet ? set[name] : undefined
      const latest = state.times.get(name)
      if (latest !== undefined && at < latest) {
        const next = () => nextChange(name, at) ?? latest
        this.sustainLate(state, name, value, at, next, touch)
        continue
      }
      state.times.set(name, at)
      if (value === undefined) state.properties.delete(name)
      else state.properties.set(name, value)
      touch(propertyTouched(name))
      this.sustain(state, name, value, at, latest, touch)
    }
  }

  /**
   * Starts the `for` conditions that hold for a missing property. In the order of own times, call it at the
   * first creation or change of an entity. In position order, call it at the creation.
   */
  begin(state: EntityState, at: number, touch: Touch): void {
    for (const { id } of this.missingTests) {
      state.sustainedSince.set(id, at)
      touch(id)
    }
  }

  /**
   * If `at` is earlier than the entity's first moment, the conditions that have held from that moment on start
   * at `at`.
   */
  private beginEarlier(state: EntityState, at: number, touch: Touch): void {
    for (const { id } of this.missingTests) {
      const since = state.sustainedSince.get(id)
      if (since === undefined || at >= since || state.brokenAt.has(id)) continue
      state.sustainedSince.set(id, at)
      touch(id)
    }
  }

  /**
   * Processes a change that is the latest change of a property by own time. `before` is the own time of the
   * change before it.
   */
  private sustain(
    state: EntityState,
    name: string,
    value: Json | undefined,
    at: number,
    before: number | undefined,
    touch: Touch,
  ): void {
    for (const { id, inside, test } of this.sustainedTests.get(name) ?? []) {
      const holds = passes(test, valueAt(value, inside))
      if (holds === state.sustainedSince.has(id)) continue
      state.brokenAt.delete(id)
      if (holds) {
        state.sustainedSince.set(id, at)
        if (before !== undefined) state.brokenAt.set(id, before)
      } else {
        state.sustainedSince.delete(id)
      }
      touch(id)
    }
  }

  /**
   * Processes a late change of a property: another change of the property has a later own time. A late change
   * can only move the start of a condition that holds. `next` returns the own time of the property's next change.
   */
  private sustainLate(
    state: EntityState,
    name: string,
    value: Json | undefined,
    at: number,
    next: () => number,
    touch: Touch,
  ): void {
    for (const { id, steps, test } of this.sustainedTests.get(name) ?? []) {
      const since = state.sustainedSince.get(id)
      if (since === undefined || at < (state.brokenAt.get(id) ?? -Infinity)) continue
      const holds = passes(test, valueAt(value, steps.slice(1)))
      if (holds && at >= since) continue
      touch(id)
      if (holds) state.sustainedSince.set(id, at)
      else state.brokenAt.set(id, at)
      // The test failed after the start of the condition, so the condition starts again at the property's next change.
      if (at >= since) state.sustainedSince.set(id, next())
    }
  }
}

function match(
  state: EntityState,
  matcher: Matcher,
  event: EffectOf<'event'>['event'],
  at: number,
  touch: Touch,
): void {
  const { id, after, before, where, last, keep } = matcher
  if (at < after || at >= before || !passesWhere(where, event.properties)) return
  if (last !== undefined) {
    const newest = state.last.get(id)
    // If two events have the same instant, the event that was recorded later counts.
    if (newest !== undefined && at < newest[0]) return
    state.last.set(id, [at, passesWhere(last, event.properties)])
    touch(id)
    return
  }
  const instants = state.instants.get(id) ?? []
  const index = insertionIndex(instants, at)
  if (index >= keep) return
  state.instants.set(id, [...instants.slice(0, index), at, ...instants.slice(index, keep - 1)])
  touch(id)
}

/** Removes a voided event from the state of a matcher, and reads the event that replaces it. */
function unmatch(
  state: EntityState,
  matcher: Matcher,
  { event, at }: PlacedEvent,
  earlier: EarlierFacts,
  touch: Touch,
): void {
  if (!matches(matcher, event, at)) return
  const hasChanged =
    matcher.last === undefined
      ? removeInstant(state, matcher, at, earlier)
      : removeLast(state, { ...matcher, last: matcher.last }, at, earlier)
  if (hasChanged) touch(matcher.id)
}

/** Removes the newest event of a matcher with the test `last`. Returns false when another event is the newest. */
function removeLast(
  state: EntityState,
  matcher: Matcher & { readonly last: NonNullable<Matcher['last']> },
  at: number,
  { newestEvents }: EarlierFacts,
): boolean {
  const { id, last } = matcher
  if (state.last.get(id)?.[0] !== at) return false
  const newest = nthMatching(matcher, newestEvents(matcher.event, at), 0)
  if (newest === undefined) state.last.delete(id)
  else state.last.set(id, [newest.at, passesWhere(last, newest.event.properties)])
  return true
}

/** Removes a counted instant. Returns false when the instant is not in the list of the newest ones. */
function removeInstant(
  state: EntityState,
  matcher: Matcher,
  at: number,
  { newestEvents }: EarlierFacts,
): boolean {
  const { id, keep } = matcher
  const instants = state.instants.get(id) ?? []
  const index = instants.indexOf(at)
  const oldest = instants.at(-1)
  if (index === -1 || oldest === undefined) return false
  const left = instants.toSpliced(index, 1)
  if (left.length === keep - 1) {
    // The list can lack only events at the oldest instant, or before it.
    const listed = left.filter((instant) => instant === oldest).length
    const next = nthMatching(matcher, newestEvents(matcher.event, oldest), listed)
    if (next !== undefined) left.push(next.at)
  }
  if (left.length === 0) state.instants.delete(id)
  else state.instants.set(id, left)
  return true
}

/** Returns the matching event with the index `n`. */
function nthMatching(
  matcher: Matcher,
  events: Iterable<PlacedEvent>,
  n: number,
): PlacedEvent | undefined {
  let left = n
  for (const placed of events) {
    if (!matches(matcher, placed.event, placed.at)) continue
    if (left === 0) return placed
    left -= 1
  }
  return undefined
}

/**
 * Returns the index at which to insert an instant into a list with the newest instant first. The search starts
 * at the newest instant, because late events are rare.
 */
function insertionIndex(instants: readonly number[], at: number): number {
  let index = 0
  while (index < instants.length && (instants[index] ?? 0) > at) index += 1
  return index
}

function addTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [item])
  else list.push(item)
}
