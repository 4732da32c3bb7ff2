import fc from 'fast-check'

/**
 * Generates any code point except surrogates, as `unit: 'binary'` of fast-check does. That unit first builds a table of
 * all code points, which takes most of a second per group of suites.
 */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
