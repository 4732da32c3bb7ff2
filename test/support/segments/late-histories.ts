import fc from 'fast-check'
import { logOf, segmentKeys, type Given, type Step, type What } from './history-log.js'
import type { LogFact } from './log-facts.js'
import type { Flat, Rule } from './rule-grammar.js'

const minute = 60_000

/**
 * Tests of one property. Late changes of the property make each test pass or fail. Some tests pass when the property is
 * missing.
 */
const tests: readonly Flat[] = [
  { eq: 'paid' },
  { not: { eq: 'paid' } },
  { exists: false },
  { exists: true },
  { in: ['paid', 'free'] },
]

const definitions: readonly What[] = tests.map((is, index): What => {
  const rule: Rule = { property: '/plan', is, for: index % 2 === 0 ? '2m' : '5m' }
  return { what: 'define', key: segmentKeys[index] ?? 's1', rule }
})

const plans = fc.constantFrom('paid', 'paid', 'free', 'trial', undefined)

/** A change of the property. The own times come from few instants, so that many changes have the same own time. */
const change: fc.Arbitrary<Step> = fc.record({
  passes: fc.constantFrom(0, 0, 0, 1, minute / 2, minute),
  lag: fc.constantFrom(0, 0, 0, 500),
  step: fc
    .tuple(
      plans,
      fc.boolean(),
      fc.option(fc.integer({ min: -1, max: 8 }), { nil: undefined, freq: 6 }),
    )
    .map(([plan, isOther, minutes]): What => {
      const late = minutes === undefined ? undefined : minutes * minute
      // Some changes set only another property. If `/plan` is missing, an early change still moves the time since which
      // it has been missing.
      const set = isOther ? { n: 1 } : plan === undefined ? {} : { plan }
      const unset = !isOther && plan === undefined ? ['plan'] : []
      return { what: 'profile', entity: 0, set, unset, late }
    }),
})

const given: fc.Arbitrary<Given> = fc
  .tuple(fc.array(change, { minLength: 1, maxLength: 14, size: 'max' }), fc.nat({ max: 14 }))
  .map(([changes, definedAt]) => {
    const defined = definitions.map((step): Step => ({ passes: 0, lag: 0, step }))
    const later: Step = { passes: 6 * minute, lag: 0, step: { what: 'time' } }
    const steps = [...changes.slice(0, definedAt), ...defined, ...changes.slice(definedAt), later]
    return { entityCount: 1, steps }
  })

/**
 * Histories of one entity whose changes of one property arrive out of order. Each rule requires that the property has
 * passed a test for some minutes. The rules are defined before, between or after the changes.
 */
export const lateHistories: fc.Arbitrary<readonly LogFact[]> = given.map(logOf)
