import fc from 'fast-check'
import { codePoint } from '../../test/support/code-point.js'

/** Generates JSON as text, in every spelling. Its meaning is found by parsing it. */
export type JsonText = fc.Arbitrary<string>

const spelling = fc.constantFrom('plain', 'plain', 'plain', 'escaped', 'ESCAPED')

export function spelled(value: string, how: string): string {
  if (how === 'plain') return JSON.stringify(value).replace(/\\u(d[89a-f])/g, '\\u$1')
  const units = Array.from({ length: value.length }, (_, at) => {
    const hex = value.charCodeAt(at).toString(16).padStart(4, '0')
    return `\\u${how === 'escaped' ? hex : hex.toUpperCase()}`
  })
  return `"${units.join('')}"`
}

const halves = ['\ud800', 'a\udfff', '\udc00\ud800', 'x\ud83d']
const scripts = [
  'Zoë',
  '日本語',
  'مرحبا',
  '👩‍👩‍👧',
  'a\u2028b',
  '\ufffd',
  '\u0000',
  '\u001f\u007f',
  '"\\/\b',
]
const longs = ['y'.repeat(255), 'y'.repeat(256), '😀'.repeat(255), '😀'.repeat(256)]
const special = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON', '0']

const composed = ['e\u0301', 'ก็', '가', '👩‍👩‍👧', '🏳️‍🌈', '🇫🇷', '1️⃣']

/**
 * Generates characters of one or more code points, without controls and white space. The unit `grapheme` of
 * fast-check first builds a table of all code points, which takes more CPU than the requests of a quick run.
 */
export const grapheme = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: 0x21, max: 0x1ffff })
      .map((code) => String.fromCodePoint(code))
      .filter((one) => !/[\p{C}\p{Z}]/u.test(one)),
  },
  { weight: 1, arbitrary: fc.constantFrom(...composed) },
)

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: grapheme, maxLength: 20 }) },
  { weight: 3, arbitrary: fc.string({ unit: codePoint, maxLength: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(...scripts, ...special) },
)
const key = fc.oneof(
  { weight: 20, arbitrary: text.map((one) => (one === '' ? 'k' : one)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...longs.filter((one) => Array.from(one).length === 255)),
  },
)
const oddKey = fc.constantFrom('', ...longs, ...halves, 'a/b~c')
const protoKey = fc.constantFrom(
  '"__proto__"',
  '"\\u005f_proto__"',
  '"__proto\\u005F_"',
  '"\\u005f\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f"',
)

const numberText: JsonText = fc.oneof(
  fc.maxSafeInteger().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('-0', '1.0', '1E2', '1e-400', '0.1e1', '9007199254740991', '5e-324', '1.5e300'),
  fc.constantFrom(`0.${'1'.repeat(400)}`, `1${'0'.repeat(50)}e-50`, '-9007199254740991'),
)
const oddNumberText: JsonText = fc.constantFrom(
  '9007199254740992',
  '-9007199254740993',
  '1e300',
  '-1E400',
  `1${'0'.repeat(400)}`,
  '9007199254740992.5',
)

const wordText: JsonText = fc.constantFrom('null', 'true', 'false', '{}', '[]')
const stringText: JsonText = fc.tuple(text, spelling).map(([value, how]) => spelled(value, how))
const scalarText: JsonText = fc.oneof(stringText, numberText, wordText)
const oddScalarText: JsonText = fc.oneof(
  oddNumberText,
  fc.tuple(fc.constantFrom(...halves), spelling).map(([value, how]) => spelled(value, how)),
)

const space = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n  ')
export const keyText: JsonText = fc.tuple(key, spelling).map(([one, how]) => spelled(one, how))

function arrayText(items: JsonText): JsonText {
  return fc
    .tuple(fc.array(items, { maxLength: 4 }), space)
    .map(([all, gap]) => `[${gap}${all.join(`${gap},`)}]`)
}

function objectOf(keys: JsonText, values: JsonText, maxLength = 4): JsonText {
  return fc
    .tuple(fc.array(fc.tuple(keys, values), { maxLength }), space)
    .map(([members, gap]) => `{${members.map(([k, v]) => `${k}${gap}:${gap}${v}`).join(',')}}`)
}

/** Generates a valid value with at most this many levels. */
function valueText(levels: number): JsonText {
  if (levels === 0) return scalarText
  const inner = valueText(levels - 1)
  return fc.oneof(
    { weight: 4, arbitrary: scalarText },
    { weight: 1, arbitrary: arrayText(inner) },
    { weight: 1, arbitrary: objectOf(keyText, inner) },
  )
}

/** Wraps a value in this many levels of alternating arrays and objects. */
function nested(levels: number, inner: string): string {
  let made = inner
  for (let level = levels; level > 0; level -= 1) made = level % 2 ? `{"d":${made}}` : `[${made}]`
  return made
}

function members(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"m${String(at)}":${String(at)}`).join(',')}}`
}

export const goodProperties: JsonText = fc.oneof(
  { weight: 10, arbitrary: objectOf(keyText, valueText(4), 8) },
  { weight: 1, arbitrary: scalarText.map((inner) => nested(7, `{"d":${inner}}`)) },
  { weight: 1, arbitrary: fc.constantFrom(members(512), '{}', '{"a":1,"a":{"b":2},"a":3}') },
)

const oddMember = fc.oneof(
  oddScalarText.map((value) => `"odd":${value}`),
  fc
    .tuple(oddKey, spelling, scalarText)
    .map(([name, how, value]) => `${spelled(name, how)}:${value}`),
)

/** Generates properties of which most break a rule, often only one. */
export const oddProperties: JsonText = fc.oneof(
  { weight: 4, arbitrary: oddMember.map((member) => `{"ok":1,${member}}`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(oddMember, fc.integer({ min: 1, max: 9 }))
      .map(([member, at]) => nested(at, `{${member}}`).replace(/^\[(.*)\]$/s, '{"l":$1}')),
  },
  {
    weight: 2,
    arbitrary: fc.array(oddMember, { maxLength: 4 }).map((all) => `{${all.join(',')}}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('null', '[]', '1', '"{}"', 'true', members(513)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 8, max: 12 }).map((deep) => nested(deep * 2 - 1, '1')),
  },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 90, max: 300 })
      .map((many) => `{"many":[${'1e300,'.repeat(many)}0]}`),
  },
)

/** Generates properties with a member named `__proto__` at some depth. */
export const protoProperties: JsonText = fc
  .tuple(protoKey, scalarText, fc.nat(4))
  .map(([name, value, deep]) => nested(deep * 2 + 1, `{${name}:${value}}`))

export const anyText: JsonText = fc.oneof(valueText(2), oddScalarText, oddProperties)
export const oddNames: JsonText = fc.oneof(
  fc
    .constantFrom(
      '',
      '.',
      '..',
      ' a',
      'a ',
      'a\u00a0',
      '\ufeffb',
      'a\u0000b',
      'a\u0085',
      '\t',
      ...halves,
      'z'.repeat(256),
      '😀'.repeat(256),
    )
    .map((one) => spelled(one, 'escaped')),
  fc.constantFrom('null', '1', 'true', '[]', '{}', '["a"]'),
)
export const goodNames: JsonText = fc
  .tuple(fc.oneof(text, fc.constantFrom('z'.repeat(255), '😀'.repeat(255))), spelling)
  .map(([one, how]) =>
    spelled(`e${one}e`.length > 520 || Array.from(one).length > 253 ? one : `e${one}e`, how),
  )
