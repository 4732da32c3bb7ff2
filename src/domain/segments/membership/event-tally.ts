import { shownTimeOf, type EntityFact } from '../../facts.js'
import { epochMsOf } from '../../timestamp.js'
import { countMatcher, type Matcher } from '../rule/matcher.js'
import { parsePointer, valueAt } from '../rule/pointer.js'
import type { CountRule } from '../rule/rule.js'
import { durationMs } from '../rule/instant-test.js'
import { matches } from './all-events.js'

/** The events to count. For a sum, also the property that holds the number to add. */
export interface Tallied {
  readonly matcher: Matcher
  /** The instant after which events are counted, in milliseconds since 1970. */
  readonly since: number
  /** The parsed pointer to the number to add up. Undefined when no numbers are added up. */
  readonly sum: readonly string[] | undefined
}

/**
 * Returns the events that a rule counts. `now` is log time in milliseconds since 1970. `sum` is a JSON
 * pointer into the properties of an event.
 */
export function talliedBy(rule: CountRule, now: number, sum: string | undefined): Tallied {
  const { within } = rule
  const since = within === undefined ? -Infinity : now - (durationMs(within) ?? Number.NaN)
  return {
    matcher: countMatcher(rule, (text) => text),
    since,
    sum: sum === undefined ? undefined : parsePointer(sum),
  }
}

/** Counts all events of one entity that match a condition. Ignores the number of events that the condition requires. */
export class EventTally {
  count = 0
  /** The sum of the numbers at the pointer. Events with another value at the pointer are skipped. */
  sum = 0

  constructor(private readonly tallied: Tallied) {}

  /** Counts a fact if it is a matching event. Ignores other facts. */
  add(fact: EntityFact): void {
    const { effect } = fact
    if (effect.kind !== 'event') return
    const { matcher, since, sum } = this.tallied
    const at = epochMsOf(shownTimeOf(fact))
    if (at <= since || !matches(matcher, effect.event, at)) return
    this.count += 1
    if (sum === undefined) return
    const value = valueAt(effect.event.properties, sum)
    if (typeof value === 'number') this.sum += value
  }
}
