import { expect, test } from '@jest/globals'
import { Latencies } from '../../fault-injection/latencies.js'
import { overloadFaults, type Served } from '../../fault-injection/overload-faults.js'

const healthy = { maxKeptMs: 200, notReady: 0 }

function times(count: number, ms: number): Latencies {
  const latencies = new Latencies()
  for (let n = 0; n < count; n += 1) latencies.add(ms)
  return latencies
}

const usual: Served = {
  accepted: times(3_000, 10),
  refused: times(0, 0),
  seconds: 1,
  connections: 64,
  opened: 64,
  openedMs: 10,
  codes: new Map([['stored', 3_100]]),
}
const refusing: Served = {
  accepted: times(2_000, 60),
  refused: times(500, 60),
  seconds: 2,
  connections: 640,
  opened: 640,
  openedMs: 100,
  codes: new Map([
    ['stored', 2_100],
    ['overloaded', 550],
  ]),
}

test('a third of the usual load is stored, and the rest is refused at once: good', () => {
  expect(overloadFaults(usual, refusing, healthy, 64)).toEqual([])
})

test.each<[string, Partial<Served>]>([
  ['639 of 640 connections had an answer', { opened: 639 }],
  ['refusals took 2001 ms (p99)', { refused: times(500, 2_001) }],
  ['stored 999/s, and 3000/s of usual load', { accepted: times(1_998, 60) }],
])('%s', (fault, changed) => {
  expect(overloadFaults(usual, { ...refusing, ...changed }, healthy, 64)).toEqual([fault])
})

test('one slow refusal of many is none', () => {
  const refused = times(499, 60)
  refused.add(2_001)
  expect(overloadFaults(usual, { ...refusing, refused }, healthy, 64)).toEqual([])
})

test('where the limit is not reached, each request is stored', () => {
  expect(overloadFaults(usual, refusing, healthy, 640)).toEqual([
    '550 answers overloaded below the limit',
  ])
})

test('health is answered soon, and says that it is ready', () => {
  const health = { maxKeptMs: 5_001, notReady: 2 }
  expect(overloadFaults(usual, refusing, health, 64)).toEqual([
    'health took 5001 ms',
    'health was not ready 2 times',
  ])
})
