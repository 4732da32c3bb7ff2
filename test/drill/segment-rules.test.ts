import { expect, test } from '@jest/globals'
import {
  drillSegments,
  fewSegments,
  isMember,
  lastingSegmentsOf,
  viewOf,
  type Recorded,
} from '../../drill/segment-rules.js'
import { parseRule } from '../../src/domain/segments/parse-rule.js'

const begin = Date.UTC(2026, 10, 20, 9, 30)
const minute = 60_000

function fact(kind: Recorded['fact'], serial: number, at = begin): Recorded {
  return { fact: kind, serial, time: new Date(at).toISOString() }
}

function keysOf(facts: readonly Recorded[], at: number): readonly string[] {
  const view = viewOf('ada', facts)
  return drillSegments.filter((one) => isMember(one, view, at)).map(({ key }) => key)
}

test('there are 100 different ones, by rules that can be defined', () => {
  expect(new Set(drillSegments.map(({ key }) => key)).size).toBe(100)
  expect(new Set(drillSegments.map(({ rule }) => JSON.stringify(rule))).size).toBe(100)
  for (const { rule } of drillSegments) expect(parseRule(rule)).toHaveProperty('rule')
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
  expect(keysOf(facts, begin)).toEqual(['drill-1', 'drill-8', 'drill-87', 'drill-92'])
  // A minute later the events are out of every window.
  expect(keysOf(facts, begin + minute)).toEqual(['drill-1', 'drill-8', 'drill-87', 'drill-98'])
  expect(keysOf([...facts, fact('changed', 4)], begin)).toContain('drill-88')
})

test('who is in by events that were acknowledged stays in, whatever else is recorded', () => {
  const sure = lastingSegmentsOf(drillSegments, 'ada', [7, 14]).map(({ key }) => key)
  expect(sure).toEqual(['drill-0', 'drill-7', 'drill-99'])
  const more = [fact('created', 1), ...[7, 9, 14, 21, 23].map((serial) => fact('recorded', serial))]
  for (const at of [begin, begin + 2 * minute]) {
    expect(keysOf(more, at)).toEqual(expect.arrayContaining(sure))
  }
})
