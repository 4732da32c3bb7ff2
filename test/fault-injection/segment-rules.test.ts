import { expect, test } from '@jest/globals'
import {
  runSegments,
  fewSegments,
  isMember,
  lastingSegmentsOf,
  viewOf,
  type Recorded,
} from '../../fault-injection/segment-rules.js'
import { parseRule } from '../../src/domain/segments/rule/parse-rule.js'

const begin = Date.UTC(2026, 10, 20, 9, 30)
const minute = 60_000

function fact(kind: Recorded['fact'], serial: number, at = begin): Recorded {
  return { fact: kind, serial, time: new Date(at).toISOString() }
}

function keysOf(facts: readonly Recorded[], at: number): readonly string[] {
  const view = viewOf('ada', facts)
  return runSegments.filter((one) => isMember(one, view, at)).map(({ key }) => key)
}

test('there are 100 different ones, by rules that can be defined', () => {
  expect(new Set(runSegments.map(({ key }) => key)).size).toBe(100)
  expect(new Set(runSegments.map(({ rule }) => JSON.stringify(rule))).size).toBe(100)
  for (const { rule } of runSegments) expect(parseRule(rule)).toHaveProperty('rule')
})

test('one of each sort can be defined without the others', () => {
  expect(fewSegments.length).toBeLessThan(20)
  const defined = new Set(fewSegments.map(({ key }) => key))
  for (const { rule } of fewSegments) {
    for (const [, named] of JSON.stringify(rule).matchAll(/"segment":"([^"]+)"/g)) {
      expect(defined).toContain(named)
    }
  }
})

test('events, properties and time put an entity into segments', () => {
  const facts = [fact('created', 3), fact('recorded', 8), fact('recorded', 15)]
  expect(keysOf(facts, begin)).toEqual(['run-1', 'run-8', 'run-87', 'run-92'])
  // A minute later the events are out of every window.
  expect(keysOf(facts, begin + minute)).toEqual(['run-1', 'run-8', 'run-87', 'run-98'])
  expect(keysOf([...facts, fact('changed', 4)], begin)).toContain('run-88')
})

test('who is in by events that were acknowledged stays in, whatever else is recorded', () => {
  const sure = lastingSegmentsOf(runSegments, 'ada', [7, 14]).map(({ key }) => key)
  expect(sure).toEqual(['run-0', 'run-7', 'run-99'])
  const more = [fact('created', 1), ...[7, 9, 14, 21, 23].map((serial) => fact('recorded', serial))]
  for (const at of [begin, begin + 2 * minute]) {
    expect(keysOf(more, at)).toEqual(expect.arrayContaining(sure))
  }
})
