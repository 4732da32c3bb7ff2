import { describe, expect, test } from '@jest/globals'
import { conflictViolations, unsetViolations } from '../../src/domain/properties.js'

const names = (count: number) => Array.from({ length: count }, (_, at) => `k${String(at)}`)
const codesOf = (given: readonly unknown[]) =>
  unsetViolations(given).map(({ path, code }) => `${path.join('/')} ${code}`)

describe('names to unset are accepted', () => {
  test.each<[string, readonly unknown[]]>([
    ['none', []],
    ['512', names(512)],
    ['of one character', ['k']],
    ['of 255 letters', ['k'.repeat(255)]],
    ['of 255 emoji', ['🦊'.repeat(255)]],
    ['that a name may not have', [' \u0000 ', '.', '..']],
    ['that objects inherit', ['__proto__', 'constructor', 'toString']],
    ['twice', ['k', 'k']],
  ])('%s', (_what, given) => {
    expect(unsetViolations(given)).toEqual([])
  })
})

describe('names to unset are refused', () => {
  test('when there are 513, with the path of the whole list', () => {
    expect(unsetViolations([...names(512), 1])).toEqual([
      { path: [], code: 'too_many', message: 'must have at most 512 names' },
    ])
  })

  test.each<[string, unknown, string]>([
    ['a number', 1, 'wrong_type'],
    ['null', null, 'wrong_type'],
    ['a list', ['k'], 'wrong_type'],
    ['an object', {}, 'wrong_type'],
    ['another type', '', 'empty'],
    ['256 letters', 'k'.repeat(256), 'too_long'],
    ['256 emoji', '🦊'.repeat(256), 'too_long'],
    ['a lone surrogate', 'k\ud83e', 'ill_formed'],
  ])('for %s, with its index', (_what, given, code) => {
    expect(codesOf(['k', given, 'l'])).toEqual([`1 ${code}`])
  })

  test('for up to 100 violations', () => {
    expect(codesOf(['', `${'k'.repeat(256)}\ud83e`, 'k', 7])).toEqual([
      '0 empty',
      '1 too_long',
      '1 ill_formed',
      '3 wrong_type',
    ])
    expect(unsetViolations(names(512).map(() => 1))).toHaveLength(100)
    expect(unsetViolations(names(60).map(() => '\ud83e'.repeat(256)))).toHaveLength(100)
  })

  test('without repeating a refused value', () => {
    const text = JSON.stringify(unsetViolations(['secret'.repeat(60), 'secret\ud83e']))
    expect(text).not.toContain('secret')
  })
})

describe('set and unset', () => {
  test.each<[string, object, readonly string[]]>([
    ['of different names', { a: 1 }, ['b']],
    ['of names in other letters', { a: 1 }, ['A', 'a ']],
    ['of a name further down', { a: { b: 1 } }, ['b']],
    ['of names that objects inherit', { a: 1 }, ['constructor', 'toString', '__proto__']],
    ['without names', {}, []],
  ])('with %s do not conflict', (_what, set, unset) => {
    expect(conflictViolations(set, unset)).toEqual([])
  })

  test('with a common name conflict at each index of the name', () => {
    const set = JSON.parse('{"a":null,"constructor":1}') as object
    const at = (index: number) => ({
      path: ['unset', index],
      code: 'conflict',
      message: 'is in set as well',
    })
    expect(conflictViolations(set, ['a', 'b', 'constructor', 'a'])).toEqual([at(0), at(2), at(3)])
  })

  test('conflict at most 100 times', () => {
    const set = Object.fromEntries(names(120).map((name) => [name, 1]))
    expect(conflictViolations(set, names(120))).toHaveLength(100)
  })
})
