import type { EffectOf, PropertyChange } from '../../facts.js'
import type { JsonObject } from '../../json.js'
import type { CompiledRule } from '../rule/compiled-rule.js'
import type { EntityState } from './entity-state.js'
import { passesWhere, type SustainedTest, type Matcher } from '../rule/matcher.js'
import { propertyAt } from '../rule/pointer.js'
import { passes } from '../rule/value-test.js'

/** Receives the id of each condition that a fact changed, or `propertyTouched(name)` for a property. */
export type Touch = (what: string) => void

/** Returns the text that stands for a changed property. The slash distinguishes it from the ids of conditions. */
export function propertyTouched(name: string): string {
  return `/${name}`
}

/** The conditions of many rules, without duplicates. The methods update the state that the conditions need. */
export class Conditions {
  private readonly exact = new Map<string, Matcher[]>()
  private readonly prefixed: { readonly prefix: string; readonly matcher: Matcher }[] = []
  private readonly sustainedTests = new Map<string, SustainedTest[]>()
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
  }

  private addMatcher(matcher: Matcher): void {
    const { event } = matcher
    if (typeof event === 'string') addTo(this.exact, event, matcher)
    else this.prefixed.push({ prefix: event.starts_with, matcher })
  }

  concernEvent(name: string): boolean {
    return this.exact.has(name) || this.prefixed.some(({ prefix }) => name.startsWith(prefix))
  }

  concernProperties({ set, unset }: PropertyChange): boolean {
    return unset.some((name) => this.names.has(name)) || this.concernNames(set)
  }

  concernCreation(properties: JsonObject): boolean {
    return this.sustainedTests.size > 0 || this.concernNames(properties)
  }

  private concernNames(properties: JsonObject): boolean {
    return Object.keys(properties).some((name) => this.names.has(name))
  }

  /** Updates the state for an event. `occurredAt` is UTC with milliseconds. */
  event(
    state: EntityState,
    event: EffectOf<'event'>['event'],
    occurredAt: string,
    touch: Touch,
  ): void {
    const { name } = event
    const at = Date.parse(occurredAt)
    for (const matcher of this.exact.get(name) ?? []) match(state, matcher, event, at, touch)
    for (const { prefix, matcher } of this.prefixed) {
      if (name.startsWith(prefix)) match(state, matcher, event, at, touch)
    }
  }

  properties(state: EntityState, { set, unset }: PropertyChange, now: number, touch: Touch): void {
    for (const name of unset) state.properties.delete(name)
    for (const name of this.names) {
      if (!Object.hasOwn(set, name) && !unset.includes(name)) continue
      const value = Object.hasOwn(set, name) ? set[name] : undefined
      if (value !== undefined) state.properties.set(name, value)
      touch(propertyTouched(name))
      this.sustain(state, name, now, touch)
    }
  }

  /**
   * Starts the `for` conditions of a new entity, because such a condition may hold for a missing property.
   * Call it once per entity, at its creation.
   */
  begin(state: EntityState, now: number, touch: Touch): void {
    for (const name of this.sustainedTests.keys()) this.sustain(state, name, now, touch)
  }

  private sustain(state: EntityState, name: string, now: number, touch: Touch): void {
    for (const { id, steps, test } of this.sustainedTests.get(name) ?? []) {
      const holds = passes(test, propertyAt(state.properties, steps))
      if (holds === state.sustainedSince.has(id)) continue
      if (holds) state.sustainedSince.set(id, now)
      else state.sustainedSince.delete(id)
      touch(id)
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

/**
 * Returns the index at which to insert an instant so that the newest instant stays first. The search starts
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
