import { type JsonObject, canonicalText } from '../../json.js'
import { parsePointer, valueAt } from './pointer.js'
import type { CountRule, EventName, LastRule, ValueTest, Where } from './rule.js'
import { timeMs } from './instant-test.js'
import { passes } from './value-test.js'

type PreparedWhere = readonly {
  readonly steps: readonly string[]
  readonly test: ValueTest
}[]

function prepareWhere(where: Where | undefined): PreparedWhere {
  return Object.entries(where ?? {}).map(([pointer, test]) => ({
    steps: parsePointer(pointer),
    test,
  }))
}

export function passesWhere(where: PreparedWhere, properties: JsonObject): boolean {
  return where.every(({ steps, test }) => passes(test, valueAt(properties, steps)))
}

/** A condition on events. Equal conditions of different segments share one matcher. */
export interface Matcher {
  /** Equal for equal conditions. */
  readonly id: string
  readonly event: EventName
  readonly where: PreparedWhere
  /** Inclusive lower bound, in milliseconds since 1970. */
  readonly after: number
  /** Exclusive upper bound, in milliseconds since 1970. */
  readonly before: number
  /** The test of the newest event that passes `where`. Undefined when events are counted. */
  readonly last: PreparedWhere | undefined
  /** The number of newest instants that the rules with this matcher need. */
  readonly keep: number
}

/** A property test with `for`. Equal tests of different segments share one. */
export interface SustainedTest {
  readonly id: string
  readonly steps: readonly string[]
  readonly test: ValueTest
}

/** Returns the id of a condition, given as text. */
export type NameCondition = (text: string) => string

export function countMatcher(rule: CountRule, nameOf: NameCondition): Matcher {
  const { event, where = {}, after, before } = rule
  return {
    id: nameOf(canonicalText({ event, where, after: after ?? null, before: before ?? null })),
    event,
    where: prepareWhere(where),
    after: instantIn(after, -Infinity),
    before: instantIn(before, Infinity),
    last: undefined,
    keep: instantsNeededBy(rule),
  }
}

export function lastMatcher(rule: LastRule, nameOf: NameCondition): Matcher {
  const { event, where = {}, last } = rule
  return {
    id: nameOf(canonicalText({ event, where, last })),
    event,
    where: prepareWhere(where),
    after: -Infinity,
    before: Infinity,
    last: prepareWhere(last),
    keep: 1,
  }
}

export function sustainedTest(
  property: string,
  test: ValueTest,
  nameOf: NameCondition,
): SustainedTest {
  return { id: nameOf(canonicalText({ property, is: test })), steps: parsePointer(property), test }
}

/** An upper limit needs one instant more than it allows: that instant tells when the limit is met again. */
function instantsNeededBy({ count = { gte: 1 } }: CountRule): number {
  if ('gte' in count) return Math.max(count.gte, 1)
  return ('lte' in count ? count.lte : count.eq) + 1
}

function instantIn(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : (timeMs(text) ?? Number.NaN)
}
