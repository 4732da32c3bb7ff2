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
  /** The id of the matcher. Equal conditions have equal ids. */
  readonly id: string
  readonly event: EventName
  readonly where: PreparedWhere
  /** The earliest instant of a matching event, in milliseconds since 1970. */
  readonly after: number
  /** The first instant that is too late for a matching event, in milliseconds since 1970. */
  readonly before: number
  /** The test that the newest event must pass, of the events that pass `where`. Undefined when events are counted. */
  readonly last: PreparedWhere | undefined
  /** The number of newest instants that the rules with this matcher need. */
  readonly keep: number
}

/** A property test with `for`. Equal tests of different segments share one object. */
export interface SustainedTest {
  readonly id: string
  readonly steps: readonly string[]
  /** The steps after the first one, which names the top-level property. */
  readonly inside: readonly string[]
  readonly test: ValueTest
}

/** A function that returns the id of a condition. The argument is the condition as text. */
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
  const steps = parsePointer(property)
  const inside = steps.slice(1)
  return { id: nameOf(canonicalText({ property, is: test })), steps, inside, test }
}

/**
 * Returns the number of newest instants that a rule needs. A rule with an upper limit needs one instant more
 * than the limit, because that instant shows when the limit is met again.
 */
function instantsNeededBy({ count = { gte: 1 } }: CountRule): number {
  if ('gte' in count) return Math.max(count.gte, 1)
  return ('lte' in count ? count.lte : count.eq) + 1
}

function instantIn(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : (timeMs(text) ?? Number.NaN)
}
