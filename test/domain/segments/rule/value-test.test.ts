import { expect, it, test } from '@jest/globals'
import fc from 'fast-check'
import type { Json } from '../../../../src/domain/json.js'
import { passes } from '../../../../src/domain/segments/rule/value-test.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import * as naive from '../../../support/segments/naive-values.js'
import { flat, scalars } from '../../../support/segments/random-rules.js'
import type { Flat } from '../../../support/segments/rule-grammar.js'

const numRuns = quickOrThorough({ quick: 500, thorough: 50_000 })

const values: fc.Arbitrary<Json | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: scalars },
  { weight: 1, arbitrary: fc.array(scalars, { maxLength: 3 }) },
)

it('a test gives the result of a naive evaluation, even for missing values', () => {
  fc.assert(
    fc.property(flat, values, (tested, value) => {
      expect(passes(tested, value)).toBe(naive.passes(value, tested))
    }),
    { numRuns },
  )
})

it('`not` is the exact negation of a test, even for a missing value', () => {
  fc.assert(
    fc.property(flat, values, (tested, value) => {
      expect(passes({ not: tested }, value)).toBe(!passes(tested, value))
    }),
    { numRuns },
  )
})

test.each<[Flat, Json | undefined, boolean]>([
  [{ not: { eq: 'book' } }, 'book', false],
  [{ not: { eq: 'book' } }, 'tea', true],
  [{ not: { eq: 'book' } }, undefined, true],
  [{ not: { gt: 1, lt: 5 } }, 3, false],
  [{ not: { gt: 1, lt: 5 } }, 7, true],
  [{ not: { gt: 1, lt: 5 } }, undefined, true],
  [{ not: { exists: true } }, undefined, true],
  [{ not: { exists: false } }, undefined, false],
  [{ not: { not: { eq: 'book' } } }, undefined, false],
  [{ exists: true, not: { eq: 'book' } }, undefined, false],
  [{ exists: false, not: { eq: 'book' } }, undefined, true],
])('%j of %j: %j', (tested, value, expected) => {
  expect(passes(tested, value)).toBe(expected)
})
