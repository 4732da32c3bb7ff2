import { describe, expect, test } from '@jest/globals'
import type { Json } from '../../src/domain/json.js'
import { propertyViolations } from '../../src/domain/properties.js'

const emoji = '🦊'

function membersOf(count: number, value: Json = 1): Record<string, Json> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${String(at)}`, value]))
}

function objects(levels: number): Json {
  return levels === 1 ? { end: 1 } : { in: objects(levels - 1) }
}

/** Returns an object whose value is nested arrays. The object itself is the first level. */
function arrays(levels: number): Record<string, Json> {
  let value: Json = [1]
  for (let level = 2; level < levels; level += 1) value = [value]
  return { in: value }
}

const faultsOf = (value: object) =>
  propertyViolations(value).map(({ path, code }) => `${path.join('/')} ${code}`)

describe('properties are accepted', () => {
  test.each<[string, object]>([
    ['without members', {}],
    ['with 511 members', membersOf(511)],
    ['with 512 members', membersOf(512)],
    ['with more than 512 members below the top level', { in: membersOf(513) }],
    ['with every kind of JSON value', { a: null, b: true, c: false, d: 1.5, e: 'x', f: [], g: {} }],
    ['nested 8 deep in objects', { in: objects(7) }],
    ['nested 8 deep in arrays', arrays(8)],
    ['with empty containers at the eighth level', { a: [[[[[[[]]]]]]] }],
    ['with a key of 255 letters', { ['k'.repeat(255)]: 1 }],
    ['with a key of 255 emoji', { [emoji.repeat(255)]: 1 }],
    ['with a key of one character', { k: 1 }],
    ['with keys that a name may not have', { ' \u0000 ': 1, '.': 2, '..': 3 }],
    ['with texts that a name may not have', { k: ' \u0000 ', l: '', m: '.' }],
    ['with keys that objects inherit', JSON.parse('{"constructor":1,"toString":2}') as object],
  ])('%s', (_what, value) => {
    expect(propertyViolations(value)).toEqual([])
  })

  test.each([
    ['2^53 − 1', 2 ** 53 - 1],
    ['−(2^53 − 1)', -(2 ** 53 - 1)],
    ['0', 0],
    ['−0', -0],
    ['the smallest double', 5e-324],
    ['a fraction', 0.1],
    ['the largest fraction', 2 ** 52 - 0.5],
  ])('with the number %s', (_what, value) => {
    expect(propertyViolations({ value })).toEqual([])
  })
})

describe('properties are refused', () => {
  test('for 513 members, with the path of the whole object', () => {
    expect(propertyViolations(membersOf(513))).toEqual([
      { path: [], code: 'too_many', message: 'must have at most 512 members' },
    ])
  })

  test.each([
    ['2^53', 2 ** 53],
    ['−2^53', -(2 ** 53)],
    ['1e300', 1e300],
    ['overflow', Infinity],
    ['negative overflow', -Infinity],
    ['NaN', NaN],
  ])('for the number %s', (_what, value) => {
    expect(propertyViolations({ in: [0, { value }] })).toEqual([
      {
        path: ['in', 1, 'value'],
        code: 'number_out_of_range',
        message: expect.stringContaining('send it as a string'),
      },
    ])
  })

  const message = 'must not be nested deeper than 8 levels'
  test.each<[string, object, (string | number)[]]>([
    ['objects', { in: objects(8) }, ['in', 'in', 'in', 'in', 'in', 'in', 'in', 'in']],
    ['arrays', arrays(9), ['in', 0, 0, 0, 0, 0, 0, 0]],
    ['an empty object', { a: [[[[[[[{}]]]]]]] }, ['a', 0, 0, 0, 0, 0, 0, 0]],
    ['an empty array', { a: [[[[[[[[]]]]]]]] }, ['a', 0, 0, 0, 0, 0, 0, 0]],
  ])('for a ninth level of %s, without checking deeper levels', (_what, value, path) => {
    expect(propertyViolations(value)).toEqual([{ path, code: 'too_deep', message }])
  })

  test('for nesting that would exhaust the stack', () => {
    const depth = 100_000
    const value = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`) as object
    expect(faultsOf(value)).toEqual(['a/0/0/0/0/0/0/0 too_deep'])
  })

  test.each<[string, object, string[]]>([
    ['an empty key', { '': 1 }, [' empty']],
    ['a key of 256 letters', { ['k'.repeat(256)]: 1 }, [' too_long']],
    ['a key of 256 emoji', { [emoji.repeat(256)]: 1 }, [' too_long']],
    ['a key that is ill-formed', { '\ud83e': 1 }, [' ill_formed']],
    ['a key with two faults', { ['\ud83e'.repeat(256)]: 1 }, [' too_long', ' ill_formed']],
    ['an empty key at a lower level', { a: [{ '': 1 }] }, ['a/0 empty']],
    ['a text that is ill-formed', { a: ['\udd8a'] }, ['a/0 ill_formed']],
    ['a value that is not JSON', { a: undefined, b: 1n }, ['a wrong_type', 'b wrong_type']],
  ])('for %s', (_what, value, faults) => {
    expect(faultsOf(value)).toEqual(faults)
  })

  test('with a clear message for each kind of violation', () => {
    const value = { '': 1, ['k'.repeat(256)]: 1, '\ud83e': 1, text: '\ud83e', other: undefined }
    expect(propertyViolations(value).map((fault) => fault.message)).toEqual([
      'has a member whose key is empty',
      'has a key of more than 255 characters',
      'has a key that is not well-formed Unicode',
      'must be well-formed Unicode: it holds half of a surrogate pair',
      'must be a JSON value',
    ])
  })

  test('without checking the value under an invalid key', () => {
    expect(faultsOf({ '': 2 ** 53, b: 2 ** 53 })).toEqual([' empty', 'b number_out_of_range'])
  })

  test('for all violations, in document order', () => {
    const value = { a: 2 ** 53, b: { c: '\ud83e' }, d: [1, 1e300], '': 0, e: 'fine' }
    expect(faultsOf(value)).toEqual([
      'a number_out_of_range',
      'b/c ill_formed',
      'd/1 number_out_of_range',
      ' empty',
    ])
  })

  test('without repeating a refused value', () => {
    const text = JSON.stringify(propertyViolations({ a: 'secret\ud83e', ['secret'.repeat(60)]: 1 }))
    expect(text).not.toContain('secret')
  })
})

describe('the violations of properties', () => {
  test.each<[string, object]>([
    ['members', membersOf(101, 2 ** 53)],
    ['items', { a: Array.from({ length: 101 }, () => 2 ** 53) }],
    ['keys', { a: Array.from({ length: 101 }, () => ({ '': 1 })) }],
    [
      'keys with two faults',
      { a: Array.from({ length: 99 }, () => 2 ** 53), ['\ud83e'.repeat(256)]: 1 },
    ],
    [
      'violations of all kinds',
      { ...membersOf(300, '\ud83e'), a: Array.from({ length: 300 }, () => 2 ** 53) },
    ],
  ])('are limited to 100 for many %s', (_what, value) => {
    expect(propertyViolations(value)).toHaveLength(100)
  })

  test('are all reported when there are 100', () => {
    expect(propertyViolations(membersOf(100, 2 ** 53))).toHaveLength(100)
  })

  test('are not searched any further after 100', () => {
    const beyond = {
      get late() {
        throw new Error('looked at')
      },
    }
    const many = Array.from({ length: 100 }, () => 2 ** 53)
    expect(propertyViolations({ many: [...many, beyond], more: beyond })).toHaveLength(100)
  })
})
