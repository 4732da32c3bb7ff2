import { expect, it } from '@jest/globals'
import type { Json } from '../../../../src/domain/json.js'
import { parsePointer, valueAt } from '../../../../src/domain/segments/rule/pointer.js'

const document = {
  '': 'empty',
  a: { b: [10, { c: 1 }] },
  'a/b': 'slash',
  'm~n': 'tilde',
  '~1': 'both',
  '0': 'digit',
  constructor: 'own',
  list: ['x'],
}

it.each<[string, Json | undefined]>([
  ['/', 'empty'],
  ['/a', { b: [10, { c: 1 }] }],
  ['/a/b/0', 10],
  ['/a/b/1/c', 1],
  ['/a~1b', 'slash'],
  ['/m~0n', 'tilde'],
  ['/~01', 'both'],
  ['/0', 'digit'],
  ['/constructor', 'own'],
  ...['/a/b/00', '/a/b/01', '/a/b/-', '/a/b/2', '/a/b/length'].map((none) => [none, undefined]),
  ...['/list/0/0', '/list/0/length', '/toString', '/__proto__'].map((none) => [none, undefined]),
  ...['/constructor/name', '/a/constructor', '/nothing/at'].map((none) => [none, undefined]),
] as [string, Json | undefined][])('the pointer %j leads to %j', (pointer, expected) => {
  expect(valueAt(document, parsePointer(pointer))).toEqual(expected)
})
