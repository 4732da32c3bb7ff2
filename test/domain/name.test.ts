import { describe, expect, test } from '@jest/globals'
import { isLongerThan, nameViolations } from '../../src/domain/name.js'

const codesOf = (name: string) => nameViolations(name).map(({ code }) => code)
const emoji = '🦊'

describe('a name is accepted', () => {
  test.each([
    ['of one character', 'a'],
    ['of 254 characters', 'a'.repeat(254)],
    ['of 255 characters', 'a'.repeat(255)],
    ['of 255 emoji, which are 510 code units', emoji.repeat(255)],
    ['of 254 letters and one emoji', 'a'.repeat(254) + emoji],
    ['of one emoji and 254 letters', emoji + 'a'.repeat(254)],
    ['in any script', 'Ελληνικά 日本語 עברית'],
    ['with white space inside', 'ada lovelace\u3000x'],
    ['with a soft hyphen, which is a format character', 'a\u00adb'],
    ['at the neighbours of the control characters', '!~\u00a1'],
    ['ending with a zero-width space, which trim keeps', 'a\u200b'],
    ['of three dots', '...'],
    ['that begins with a dot', '.a'],
    ['with slashes and per cent signs', '../a%2F'],
    ['that all objects inherit', '__proto__'],
  ])('%s', (_what, name) => {
    expect(nameViolations(name)).toEqual([])
  })
})

describe('a name is refused', () => {
  test('with one violation when it is empty', () => {
    expect(nameViolations('')).toEqual([{ path: [], code: 'empty', message: 'must not be empty' }])
  })

  test.each([
    ['of 256 letters', 'a'.repeat(256)],
    ['of 256 emoji', emoji.repeat(256)],
    ['of 255 letters and one emoji', 'a'.repeat(255) + emoji],
    ['of one emoji and 255 letters', emoji + 'a'.repeat(255)],
    ['of more code units than 255 characters can have', 'a'.repeat(511)],
  ])('as too long: %s', (_what, name) => {
    expect(nameViolations(name)).toEqual([
      { path: [], code: 'too_long', message: 'must have at most 255 characters' },
    ])
  })

  test.each([
    ['a high half alone', '\ud83e'],
    ['a low half alone', '\udd8a'],
    ['halves in the wrong order', '\udd8a\ud83e'],
    ['a high half before a letter', 'a\ud83eb'],
  ])('as ill-formed: %s', (_what, name) => {
    expect(nameViolations(name)).toEqual([
      { path: [], code: 'ill_formed', message: expect.stringContaining('surrogate') },
    ])
  })

  const controls = [...Array(0x20).keys(), ...Array.from({ length: 0x21 }, (_, at) => 0x7f + at)]
  test.each(controls)('for the control character %i inside', (code) => {
    expect(nameViolations(`a${String.fromCodePoint(code)}b`)).toEqual([
      { path: [], code: 'bad_characters', message: 'must not contain control characters' },
    ])
  })

  const spaces = [
    0x20, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
    0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff,
  ].map((code) => [code.toString(16), String.fromCodePoint(code)] as const)
  const atItsEnds = [
    { path: [], code: 'bad_characters', message: 'must not begin or end with white space' },
  ]
  test.each(spaces)('for the white space U+%s at its beginning', (_code, space) => {
    expect(nameViolations(`${space}a`)).toEqual(atItsEnds)
  })
  test.each(spaces)('for the white space U+%s at its end', (_code, space) => {
    expect(nameViolations(`a${space}`)).toEqual(atItsEnds)
  })

  test.each(['.', '..'])('when it is %s, which a URL path cannot contain', (name) => {
    expect(nameViolations(name)).toEqual([
      { path: [], code: 'bad_characters', message: 'must not be "." or ".."' },
    ])
  })

  test('with all its violations at once', () => {
    expect(codesOf(`\t${'a'.repeat(255)}\ud83e`)).toEqual([
      'too_long',
      'ill_formed',
      'bad_characters',
      'bad_characters',
    ])
  })

  test('without repeating the name in a message', () => {
    const messages = nameViolations(` secret\u0000${'x'.repeat(300)}\ud83e`).map(
      (fault) => fault.message,
    )
    expect(messages.join()).not.toContain('secret')
  })
})

describe('a text is longer than a limit', () => {
  test.each([
    ['', 0, false],
    ['a', 0, true],
    ['a', 1, false],
    ['ab', 1, true],
    [emoji, 1, false],
    [emoji + emoji, 1, true],
    ['aaa', 2, true],
    [emoji + 'a', 2, false],
    ['a' + emoji, 2, false],
    [emoji + 'aa', 2, true],
    ['\ud83e\ud83e', 1, true],
    ['\uffff\uffff', 1, true],
    ['\u{10000}', 1, false],
    [emoji.repeat(3), 3, false],
    [emoji.repeat(2) + 'aa', 3, true],
  ])('%j and %i: %s', (text, limit, longer) => {
    expect(isLongerThan(text, limit)).toBe(longer)
  })
})
