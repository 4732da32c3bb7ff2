import type { EntityFact } from '../../facts.js'
import { countMatcher, type Matcher } from '../rule/matcher.js'
import { parsePointer, valueAt } from '../rule/pointer.js'
import type { CountRule } from '../rule/rule.js'
import { durationMs } from '../rule/instant-test.js'
import { matches } from './all-events.js'

/** Which events of an entity are counted, and what is added up of them. */
export interface Tallied {
  readonly matcher: Matcher
  /** Only events after this instant, in milliseconds since 1970. */
  readonly since: number
  /** The steps to the number that is added up; undefined: nothing is. */
  readonly sum: readonly string[] | undefined
}

/** `now`: log time, in milliseconds since 1970. `sum`: a JSON pointer into the properties of an event. */
export function talliedBy(rule: CountRule, now: number, sum: string | undefined): Tallied {
  const { within } = rule
  const since = within === undefined ? -Infinity : now - (durationMs(within) ?? Number.NaN)
  return {
    matcher: countMatcher(rule, (text) => text),
    since,
    sum: sum === undefined ? undefined : parsePointer(sum),
  }
}

/** How many events of one entity a condition counts, all of them, whatever number it asks for. */
export class EventTally {
  count = 0
  /** The sum over the events that have a number there. */
  sum = 0

  constructor(private readonly tallied: Tallied) {}

  /** Takes those facts that are events. */
  add({ tookEffectAt, effect }: EntityFact): void {
    if (effect.kind !== 'event') return
    const { matcher, since, sum } = this.tallied
    const at = Date.parse(tookEffectAt)
    if (at <= since || !matches(matcher, effect.event, at)) return
    this.count += 1
    if (sum === undefined) return
    const value = valueAt(effect.event.properties, sum)
    if (typeof value === 'number') this.sum += value
  }
}
