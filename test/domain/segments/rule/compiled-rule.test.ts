import { expect, it } from '@jest/globals'
import { compileRule } from '../../../../src/domain/segments/rule/compiled-rule.js'
import type { Rule, ValueTest } from '../../../../src/domain/segments/rule/rule.js'

/** Returns the ids of the conditions whose state is stored for a rule. */
function idsOf(rule: Rule): readonly string[] {
  const compiled = compileRule(rule, { nameOf: (text) => text, segmentId: () => undefined })
  return [...compiled.matchers, ...compiled.sustainedTests].map(({ id }) => id)
}

const bought = (test: ValueTest): Rule => ({ event: 'buy', where: { '/n': test } })
const lastly = (test: ValueTest): Rule => ({ event: 'buy', last: { '/n': test } })
const lasting = (is: ValueTest): Rule => ({ property: '/n', is, for: '1d' })

it.each([
  ['a matcher', bought],
  ['a matcher of the last event', lastly],
  ['a sustained test', lasting],
])('rules share %s exactly when their tests are equal as JSON, also inside `not`', (_, ruleOf) => {
  const id = idsOf(ruleOf({ not: { gt: 1, lt: 5 }, exists: true }))
  expect(id).toHaveLength(1)
  expect(idsOf(ruleOf({ exists: true, not: { lt: 5, gt: 1 } }))).toEqual(id)
  const others: readonly ValueTest[] = [
    { not: { gt: 1, lt: 6 }, exists: true },
    { not: { not: { gt: 1, lt: 5 } }, exists: true },
    { gt: 1, lt: 5, exists: true },
    { exists: true },
  ]
  for (const other of others) expect(idsOf(ruleOf(other))).not.toEqual(id)
})
