import { describe, expect, test } from '@jest/globals'
import { firstJsonError } from '../../../../src/adapters/http/requests/first-json-error.js'

describe('the first syntax error of a JSON text', () => {
  test.each([
    ['{\n  "a": 1,\n  "b": 2,\n}', 'line 4, column 1'],
    ['{"a": 1 "b": 2}', 'line 1, column 9'],
    ['[1, // one\n2]', 'line 1, column 5'],
    ['{"a": 01}', 'line 1, column 8'],
    ['\uFEFF{"a" 1}', 'line 1, column 6'],
  ])('%j is at %s', (text, place) => {
    expect(firstJsonError(text)).toBe(place)
  })

  test('is not there in JSON', () => {
    expect(firstJsonError('{"a":[1,null,{"b":"\\u00e9"}]}')).toBeUndefined()
  })

  test('is not looked for below 200 levels, so a deep text cannot exhaust the stack', () => {
    expect(firstJsonError('['.repeat(1_000_000))).toBeUndefined()
  })
})
