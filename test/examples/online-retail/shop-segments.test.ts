import { expect, test } from '@jest/globals'
import { shopSegments } from '../../../examples/online-retail/shop-segments.js'
import { parseRule } from '../../../src/domain/segments/rule/parse-rule.js'

test('the windows of the segments end with the day of the last order, and meet', () => {
  const [big, fresh, lapsed] = shopSegments('2011-01-05T17:24:00Z').map(({ rule }) => rule)
  expect(big).toMatchObject({ after: '2010-12-07', before: '2011-01-06' })
  expect(fresh).toMatchObject({
    all: [{ after: '2011-01-01', before: '2011-01-06' }, { not: { before: '2011-01-01' } }],
  })
  expect(lapsed).toMatchObject({
    all: [
      { after: '2010-11-07', before: '2010-12-23' },
      { not: { after: '2010-12-23', before: '2011-01-06' } },
    ],
  })
})

test('their rules are rules', () => {
  for (const { rule } of shopSegments('2010-12-20T17:24:00Z')) {
    expect(parseRule(rule)).toEqual({ rule })
  }
})
