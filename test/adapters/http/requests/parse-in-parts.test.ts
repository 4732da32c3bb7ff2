import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseInParts } from '../../../../src/adapters/http/requests/parse-in-parts.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

const partLength = 8

/** Parses a text. Returns the value or the fault, and the length of each text that was parsed without a pause. */
function parsed(text: string, length = partLength) {
  const lengths: number[] = []
  let pieces = 1
  try {
    const work = parseInParts(
      text,
      (part) => {
        lengths.push(part.length)
        return JSON.parse(part)
      },
      length,
    )
    for (;;) {
      const step = work.next()
      if (step.done === true) return { value: step.value, lengths, pieces }
      pieces += 1
    }
  } catch (error) {
    if (error instanceof SyntaxError) return { value: 'no JSON', lengths, pieces }
    throw error
  }
}

function expected(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return 'no JSON'
  }
}

/** Compares the values as text, so that the order of members is compared, too. */
function expectSame(text: string): void {
  expect(JSON.stringify(parsed(text).value)).toBe(JSON.stringify(expected(text)))
}

const white = fc.constantFrom('', '', '', ' ', '\n\t', ' '.repeat(12))

/** Generates nested JSON with white space between the tokens. */
const texts = fc.letrec<{ value: string; scalar: string; name: string }>((tie) => ({
  name: fc.constantFrom('a', 'b', '__proto__', '1', '0', '', 'ü"\\', '[,]{:}', 'constructor'),
  scalar: fc.oneof(
    fc.constantFrom('1', '-0.5e3', 'true', 'null', '""', '"\\\\"', '"\\""', '"],[{\\u0022"'),
    fc.string().map((text) => JSON.stringify(text)),
  ),
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    tie('scalar'),
    fc
      .tuple(fc.array(fc.tuple(white, tie('value'), white), { maxLength: 8 }), white)
      .map(
        ([items, blank]) =>
          `[${items.length === 0 ? blank : items.map((one) => one.join('')).join(',')}]`,
      ),
    fc
      .array(fc.tuple(white, tie('name'), white, tie('value'), white), { maxLength: 8 })
      .map(
        (members) =>
          `{${members.map(([before, name, after, value, end]) => `${before}${JSON.stringify(name)}${after}:${value}${end}`).join(',')}}`,
      ),
  ),
})).value

const numRuns = quickOrThorough({ quick: 50, thorough: 50_000 })

describe('a text that is parsed in parts', () => {
  test('has the value that `JSON.parse` returns', () => {
    fc.assert(fc.property(texts, expectSame), { numRuns })
  })

  test('is refused when `JSON.parse` refuses it', () => {
    const broken = fc
      .tuple(
        texts,
        fc.nat(),
        fc.nat(2),
        fc.constantFrom('', ',', '[', ']', '{', '}', '"', '\\', ':', '-', ' '),
      )
      .map(([text, place, cut, put]) => {
        const at = place % (text.length + 1)
        return text.slice(0, at) + put + text.slice(at + cut)
      })
    fc.assert(fc.property(broken, expectSame), { numRuns })
  })

  test.each([
    '[1,2,3,4,5,6,]',
    '[          ,1,2,3,4]',
    '[1,2,3,4,5,6,          ,7]',
    '[[1,2,3,4,5,6][1,2,3,4,5,6]]',
    '[-[1,2,3,4,5,6]]',
    '{"a":1[1,2,3,4,5,6]}',
    '{"a"[1,2,3,4,5,6]}',
    '{[1,2,3,4,5,6]:1}',
    '[1,2,3,4,5,6],[1,2,3,4,5,6]',
    '[1,2,3,4,5,6]]',
    '[1,2,3,4,5,6}',
    '\uFEFF\uFEFF[1,2,3,4,5,6]',
    '"1234567890',
  ])('%s is refused', (text) => {
    expect(parsed(text).value).toBe('no JSON')
  })

  test('can begin with a byte order mark', () => {
    expect(parsed('\uFEFF[1,2,3,4,5,6]').value).toEqual([1, 2, 3, 4, 5, 6])
  })
})

describe('parts are short, whatever the text contains', () => {
  // A recursive parser would fail at 10,000 levels.
  const size = quickOrThorough({ quick: 200_000, thorough: 1_000_000 })
  test.each([
    [
      'many items',
      `{"batch":[${Array(size / 4)
        .fill('[]')
        .join()}]}`,
    ],
    [
      'an item of many members',
      `[{${Array.from({ length: size / 10 }, (_, at) => `"k${at.toString(36)}":1`).join()}}]`,
    ],
    ['deep', `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`],
    ['deep objects', `${'{"a":'.repeat(size / 20)}1${'}'.repeat(size / 20)}`],
    [
      'deep and full',
      `${'['.repeat(5_000)}${Array(size / 4)
        .fill('{}')
        .join()}${']'.repeat(5_000)}`,
    ],
    ['escapes', `["${'\\"'.repeat(size / 4)}",1]`],
  ])('%s', (_what, text) => {
    const length = 1_024
    const { lengths, pieces } = parsed(text, length)
    const longest = lengths.reduce((one, other) => Math.max(one, other), 0)
    // A single string cannot be split.
    if (!text.startsWith('["')) expect(longest).toBeLessThan(length * 4)
    expect(pieces).toBeGreaterThan(text.length / length / 4)
  })
})
