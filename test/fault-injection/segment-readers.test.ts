import { ReadableStream } from 'node:stream/web'
import { beforeEach, expect, test } from '@jest/globals'
import type { FoundFact } from '../../fault-injection/found-facts.js'
import { Ledger } from '../../fault-injection/ledger.js'
import { Random } from '../../fault-injection/random.js'
import { SegmentReaders, type Answer } from '../../fault-injection/segment-readers.js'
import { runSegments, type RunSegment } from '../../fault-injection/segment-rules.js'
import { Target } from '../../fault-injection/target.js'
import { digestOf } from '../support/segments/naive-membership.js'

const segment: RunSegment = { key: 'one', rule: { everyone: true }, isLasting: true }
const ids = ['01a1ffb0-0000-7000-8000-000000000001', '01a1ffb0-0000-7000-8000-000000000002']
const logTime = '2026-11-20T09:30:00.000Z'

let ledger: Ledger
let readers: SegmentReaders
beforeEach(() => {
  const target = new Target()
  target.close()
  ledger = new Ledger()
  readers = new SegmentReaders(target, ledger, runSegments, new Random(1))
})

function answer(entityIds: readonly string[], changed: Partial<Answer['data']> = {}): Answer {
  const items = entityIds.map((id) => ({ external_id: id, entity_id: id }))
  const sums = { members: items.length, digest: digestOf(entityIds) }
  const data = { items, version: 1, next_cursor: null, ...sums, ...changed }
  return { data, position: 7n, logTime }
}

async function wrongs(): Promise<number> {
  const { wrong } = await ledger.settle(ReadableStream.from<FoundFact>([]))
  return wrong
}

test('replies that agree are right', async () => {
  readers.checkSums(segment, answer(ids))
  readers.checkSums(segment, answer(ids))
  readers.checkSums(runSegments[0] ?? segment, answer([]))
  expect([readers.agreed, await wrongs()]).toEqual([1, 0])
})

test.each([
  ['a count', answer(ids, { members: 3 })],
  ['a digest', answer(ids, { digest: digestOf(ids.slice(1)) })],
])('%s that is not its list’s is wrong', async (_, reply) => {
  readers.checkSums(segment, reply)
  expect(await wrongs()).toBe(1)
})

test('a reply unlike another of the same Position and Log-Time is wrong', async () => {
  readers.checkSums(segment, answer(ids))
  readers.checkSums(segment, answer(ids.slice(1)))
  expect(await wrongs()).toBe(1)
})
