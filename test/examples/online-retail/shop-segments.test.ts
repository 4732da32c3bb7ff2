import { expect, test } from '@jest/globals'
import { shopSegments } from '../../../examples/online-retail/shop-segments.js'
import { parseRule } from '../../../src/domain/segments/rule/parse-rule.js'

test('the rules of the shop segments are valid', () => {
  for (const { rule } of shopSegments) expect(parseRule(rule)).toEqual({ rule })
})
