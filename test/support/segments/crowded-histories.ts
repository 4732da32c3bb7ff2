import fc from 'fast-check'
import { logOf, segmentKeys, type Given, type What } from './history-log.js'
import type { LogFact } from './log-facts.js'
import type { Count, Flat, Leaf, Rule } from './rule-grammar.js'

const minute = 60_000

/** Durations that are no longer than a history, so that most events leave a window or enter another one. */
const duration = fc.constantFrom('1m', '2m', '5m')
const pointer = fc.constantFrom('/plan', '/n')
const bound = fc.nat({ max: 2 })

const plainTest: fc.Arbitrary<Flat> = fc.oneof(
  fc.constantFrom('free', 'paid').map((eq) => ({ eq })),
  bound.map((gte) => ({ gte })),
  bound.map((lt) => ({ lt })),
  fc.boolean().map((exists) => ({ exists })),
)
const test: fc.Arbitrary<Flat> = fc.oneof(
  { weight: 3, arbitrary: plainTest },
  { weight: 1, arbitrary: plainTest.map((not) => ({ not })) },
)
const where = fc.tuple(pointer, test).map((clause) => Object.fromEntries([clause]))
const which = fc.constantFrom('buy', 'buy', { starts_with: 'b' })
const count: fc.Arbitrary<Count> = fc
  .tuple(fc.constantFrom('gte', 'lte', 'eq'), fc.nat({ max: 3 }))
  .map(([name, nth]) =>
    name === 'gte' ? { gte: nth } : name === 'lte' ? { lte: nth } : { eq: nth },
  )

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  fc.record({ event: which, within: duration, count }),
  fc.record({ event: which, where, within: duration, count }),
  fc.record({ event: which, where, count }),
  fc.record({ event: which, last: where }),
  fc.record({ event: which, where, last: where }),
  fc.record({ property: pointer, is: test, for: duration }),
  fc.record({ property: pointer, is: test }),
)

function ruleOf(named: readonly string[]): fc.Arbitrary<Rule> {
  const parts = fc.array(leaf, { minLength: 2, maxLength: 2 })
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: leaf.map((not) => ({ not })) },
    { weight: 1, arbitrary: parts.map((all) => ({ all })) },
    { weight: 1, arbitrary: parts.map((any) => ({ any })) },
    ...(named.length === 0
      ? []
      : [
          {
            weight: 1,
            arbitrary: fc
              .tuple(leaf, fc.constantFrom(...named))
              .map(([one, segment]) => ({ all: [one, { not: { segment } }] })),
          },
        ]),
  )
}

const definitions: readonly fc.Arbitrary<What>[] = segmentKeys.map((key, index) =>
  ruleOf(segmentKeys.slice(0, index)).map((rule) => ({ what: 'define' as const, key, rule })),
)

const properties = fc.record(
  { plan: fc.constantFrom('free', 'paid'), n: fc.nat({ max: 2 }) },
  { requiredKeys: [], noNullPrototype: true },
)

/** The time between an event or a change and its recording. Undefined: the caller gives no time. */
const late = fc.constantFrom(
  ...[undefined, 0, -minute, 1, minute - 1, minute, minute + 1, 2 * minute, 4 * minute],
)

const whatOf = (entity: fc.Arbitrary<number>): fc.Arbitrary<What> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        what: fc.constant('event' as const),
        entity,
        name: fc.constantFrom('buy', 'buy', 'b'),
        properties,
        late,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        what: fc.constant('profile' as const),
        entity,
        set: properties,
        unset: fc.subarray(['plan', 'n']),
        late,
      }),
    },
    { weight: 1, arbitrary: fc.constant({ what: 'time' as const }) },
    { weight: 1, arbitrary: fc.oneof(...definitions) },
  )

const passes = fc.constantFrom(
  ...[0, 0, 0, 1, minute / 2, minute - 1, minute, minute + 1, 2 * minute],
)

const givenOf = (entityCount: number): fc.Arbitrary<Given> => {
  const step = whatOf(fc.nat({ max: entityCount - 1 }))
  const steps = fc.record({ passes, lag: fc.constantFrom(0, 0, 0, 500), step })
  return fc
    .tuple(fc.tuple(...definitions), fc.array(steps, { maxLength: 40, size: 'max' }))
    .map(([defined, later]) => ({
      entityCount,
      steps: [...defined.map((one) => ({ passes: 0, lag: 0, step: one })), ...later],
    }))
}

/**
 * Histories with many facts about one entity within minutes, and rules that most facts affect. They are hard for
 * the evaluation.
 */
export const crowdedHistories: fc.Arbitrary<readonly LogFact[]> = givenOf(1).map(logOf)

/** Crowded histories of several entities, in which many enter and leave. */
export const givenCrowds = givenOf(3)
export const crowds: fc.Arbitrary<readonly LogFact[]> = givenCrowds.map(logOf)
