import fc from 'fast-check'
import type { JsonObject } from '../../../src/domain/json.js'
import { externalIds, logOf, segmentKeys, type Given, type Step, type What } from './history-log.js'
import type { LogFact } from './log-facts.js'
import { eventNames, notTimes, propertyNames, randomRules, scalars, times } from './random-rules.js'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

/** Time steps that make many facts fall on one instant, or on the end of a window, or a millisecond beside it. */
const passing = fc.constantFrom(
  ...[0, 0, 0, 0, 0, 0, 1, minute / 2, minute - 1, minute, minute + 1, 2 * minute, 5 * minute],
  ...[hour - 1, hour, hour + 1, day - 1, day, day + 1, 7 * day],
)

/** The time between an event or a change and its recording, in milliseconds. Negative: the caller's clock is ahead. */
const lateness = fc.constantFrom(
  ...[-minute, 1 - minute, -1, 0, 1, minute - 1, minute, minute + 1, 2 * minute, 4 * minute],
  ...[hour - 1, hour, hour + 1, day - 1, day, day + 1, 7 * day, 10 * day],
)

/** The lag of the recording process's clock, in milliseconds. */
const lag = fc.constantFrom(...[0, 0, 0, 0, 0, 0, 0, 1, 500, minute])

const value = fc.oneof(
  { weight: 4, arbitrary: scalars },
  { weight: 3, arbitrary: fc.constantFrom(...times, ...notTimes) },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 3 }) },
  { weight: 1, arbitrary: scalars.map((plan) => ({ plan })) },
)
const name = fc.constantFrom(...propertyNames)
const oddProperties: fc.Arbitrary<JsonObject> = fc.dictionary(name, value, {
  maxKeys: 2,
  noNullPrototype: true,
})
/** Properties that most rules test, with values that often pass. */
const properties: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.record(
      {
        plan: fc.constantFrom('free', 'paid'),
        n: fc.nat({ max: 3 }),
        when: fc.constantFrom(...times),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddProperties }),
  )
  .map(([usual, odd]) => ({ ...usual, ...odd }))

/** The index of an entity in its history. */
const entity = fc.nat({ max: externalIds.length - 1 })
const key = fc.constantFrom(...segmentKeys)

/** Definitions of segments. A segment may refer only to earlier ones, so there are no cycles. */
const definitions: readonly fc.Arbitrary<What>[] = segmentKeys.map((one, index) =>
  fc
    .option(randomRules(segmentKeys.slice(0, index)), { nil: undefined, freq: index === 0 ? 2 : 8 })
    .map((rule) => ({ what: 'define' as const, key: one, rule })),
)

const what: fc.Arbitrary<What> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('profile' as const),
      entity,
      set: properties,
      unset: fc.uniqueArray(name, { maxLength: 1 }),
      late: fc.option(lateness, { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 18,
    arbitrary: fc.record({
      what: fc.constant('event' as const),
      entity,
      name: fc.constantFrom('buy', 'buy', 'buy', 'buy', ...eventNames),
      properties,
      late: fc.option(lateness, { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('hand' as const),
      entity,
      key: fc.constantFrom('s1', 's1', 's1', ...segmentKeys),
      isAdded: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('void' as const),
      entity,
      nth: fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 3, 6),
    }),
  },
  { weight: 2, arbitrary: fc.oneof(...definitions) },
  { weight: 1, arbitrary: key.map((one) => ({ what: 'retire' as const, key: one })) },
  { weight: 1, arbitrary: key.map((one) => ({ what: 'built' as const, key: one })) },
  { weight: 4, arbitrary: fc.constant({ what: 'time' as const }) },
)

/** In some histories, all segments are retired for a while and later defined again. */
const pauses = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      from: fc.nat({ max: 30 }),
      steps: fc.nat({ max: 10 }),
      defined: fc.tuple(...definitions),
    }),
  },
)
const atOnce = (step: What): Step => ({ passes: 0, lag: 0, step })
/** Retires all segments. A segment is retired before the segments that it may refer to. */
const retiringAll = [...segmentKeys].reverse().map((one) => atOnce({ what: 'retire', key: one }))

/** Histories of few entities with many facts each, because one entity seldom affects another. */
const givenHistories: fc.Arbitrary<Given> = fc
  .tuple(
    fc.constantFrom(1, 1, 2, externalIds.length),
    fc.tuple(...definitions),
    fc.constantFrom(0, 2, 4, definitions.length),
    fc.array(fc.record({ passes: passing, lag, step: what }), { maxLength: 70, size: 'max' }),
    pauses,
  )
  .map(([entityCount, defined, atFirst, later, pause]) => {
    const steps = [...defined.slice(0, atFirst).map(atOnce), ...later]
    if (pause === undefined) return { entityCount, steps }
    const until = pause.from + pause.steps
    return {
      entityCount,
      steps: [
        ...steps.slice(0, pause.from),
        ...retiringAll,
        ...steps.slice(pause.from, until).filter(({ step }) => step.what !== 'define'),
        ...pause.defined.map(atOnce),
        ...steps.slice(until),
      ],
    }
  })

/**
 * Logs that the service could have written. Actions that it would refuse are dropped or corrected. The clocks of
 * the recording processes differ, so a later fact can have an earlier time.
 */
export const randomHistories: fc.Arbitrary<readonly LogFact[]> = givenHistories.map(logOf)
