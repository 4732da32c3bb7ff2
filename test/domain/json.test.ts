import { describe, expect, test } from '@jest/globals'
import { sameJson, type Json } from '../../src/domain/json.js'

const parsed = (text: string) => JSON.parse(text) as Json

describe('two JSON values are equal', () => {
  test.each<[string, string]>([
    ['null', 'null'],
    ['true', 'true'],
    ['1', '1.0'],
    ['100', '1e2'],
    ['0', '-0'],
    ['"a"', '"\\u0061"'],
    ['[]', '[ ]'],
    ['[1,[2,null]]', '[1,[2,null]]'],
    ['{}', '{ }'],
    ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['{"a":null}', '{"a":null}'],
    ['{"__proto__":1}', '{"__proto__":1}'],
  ])('%s and %s', (left, right) => {
    expect(sameJson(parsed(left), parsed(right))).toBe(true)
  })
})

describe('two JSON values differ', () => {
  test.each<[string, string]>([
    ['null', 'false'],
    ['null', '0'],
    ['null', '{}'],
    ['null', '[]'],
    ['true', 'false'],
    ['1', '2'],
    ['1', '"1"'],
    ['"a"', '"A"'],
    ['"\u00e9"', '"e\u0301"'],
    ['""', '[]'],
    ['{}', '"a"'],
    ['{}', '""'],
    ['{}', '0'],
    ['{}', 'true'],
    ['[]', '0'],
    ['{}', '[]'],
    ['{"0":1}', '[1]'],
    ['[1,2]', '[2,1]'],
    ['[1]', '[1,2]'],
    ['[1]', '[1,null]'],
    ['[1,[2]]', '[1,[3]]'],
    ['{"a":1}', '{}'],
    ['{"a":1}', '{"a":2}'],
    ['{"a":1}', '{"b":1}'],
    ['{"a":null}', '{"b":null}'],
    ['{"a":1}', '{"a":1,"b":2}'],
    ['{"a":{"b":1}}', '{"a":{"b":2}}'],
    ['{"constructor":1}', '{"a":1}'],
    ['{"__proto__":{}}', '{"a":{}}'],
  ])('%s and %s', (left, right) => {
    expect(sameJson(parsed(left), parsed(right))).toBe(false)
    expect(sameJson(parsed(right), parsed(left))).toBe(false)
  })

  test('when one value inherits a member that the other value has itself', () => {
    const inheriting = Object.create({ a: 1 }, { b: { value: 1, enumerable: true } }) as Json
    expect(sameJson({ a: 1 }, inheriting)).toBe(false)
  })
})
