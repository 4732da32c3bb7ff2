import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  PositionUnknown,
  SegmentMissing,
  ServiceRefused,
} from '../../../../examples/subscriber/mirror/service-errors.js'
import { nextLook } from '../../../support/next-look.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { FollowedMirror } from './followed-mirror.js'
import { ServiceDouble } from './service-double.js'
import { MemoryFacts } from './memory-facts.js'
import { PublishedSegment } from './published-segment.js'

const makeFolder = temporaryFolders()
const cleanUp: (() => Promise<unknown>)[] = []
let database: string
let facts: MemoryFacts
let segment: PublishedSegment
let service: ServiceDouble

beforeEach(async () => {
  database = join(makeFolder(), 'mirror.db')
  facts = new MemoryFacts()
  segment = new PublishedSegment(facts, 12)
  service = await ServiceDouble.start(segment, facts)
})

afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
  await service.close()
})

function follow(others = {}): FollowedMirror {
  const followed = new FollowedMirror({ database, url: service.url, ...others })
  cleanUp.push(() => followed.stop())
  return followed
}

async function built(): Promise<FollowedMirror> {
  segment.define()
  await segment.build([0, 1, 2, 3])
  const followed = follow()
  await followed.said('equal, 4 members')
  return followed
}

test('a broken stream, a broken request and a service that is away: it goes on, and misses nothing', async () => {
  const followed = await built()
  let faults = 0
  service.faultOf = () => {
    faults += 1
    if (faults === 1) return 'reset'
    return faults === 2 ? { status: 503, code: 'overloaded' } : undefined
  }
  service.breakStreams()
  await segment.change(4, 5, 6, 7, 0, 8, 9)
  await segment.publish()
  await followed.equal(segment.digest)
  expect(followed.lines.filter((line) => line.startsWith('interrupted'))).toHaveLength(3)
  expect(followed.lines).toContainEqual(expect.stringMatching(/^interrupted.*503 overloaded$/))
  expect(followed.entered).toEqual(segment.enteredSince(0n))
})

test('a heartbeat moves the checkpoint, and a start goes on behind it with its cursor', async () => {
  const followed = await built()
  await segment.recordSomething()
  const { position, fact } = facts.facts.at(-1) ?? { position: 0n, fact: { id: '' } }
  service.beat()
  while (followed.mirror.place?.commit !== position) await nextLook()
  await followed.stop()
  const { length } = service.seen
  await follow().said('caught up')
  const cursor = `after=${String(position)}.${fact.id.slice(0, 8)}`
  const [first] = service.seen.slice(length).filter(({ path }) => path.startsWith('/facts'))
  expect(first?.path).toContain(cursor)
})

test('a stream that is silent for too long is left for another one', async () => {
  segment.define()
  await segment.build([0])
  const followed = follow({ silenceMs: 100 })
  await followed.said('nothing came for 100 ms')
  await followed.line('caught up')
  expect(followed.entered).toEqual([])
})

test('a restored store: it stops, says what to do and keeps the mirror as it was', async () => {
  const followed = await built()
  await segment.change(4)
  await segment.publish()
  await followed.equal(segment.digest)
  await followed.stop()
  for (const placed of facts.facts) Object.assign(placed.fact, { id: randomUUID() })
  const refused = follow()
  const error = await refused.ended
  expect(error).toBeInstanceOf(PositionUnknown)
  expect(String(error)).toMatch(/restored or replaced.* delete the database and start again/)
  expect(refused.members).toEqual(segment.members.toSorted())
  expect(refused.entered).toHaveLength(1)
})

test('no segment, no right, no Dossier: it stops and makes no mirror', async () => {
  expect(await follow().ended).toBeInstanceOf(SegmentMissing)
  service.faultOf = () => ({ status: 403, code: 'forbidden' })
  expect(await follow().ended).toBeInstanceOf(ServiceRefused)
  service.faultOf = () => ({ status: 418, code: 'teapot' })
  const last = follow()
  expect(String(await last.ended)).toContain('418 teapot')
  expect(last.mirror.place).toBeUndefined()
})

test('a segment that is being built is waited for', async () => {
  segment.define()
  const followed = follow()
  await followed.said('503 building')
  await segment.build([1, 2])
  await followed.said(`digest ${segment.digest} equal, 2 members`)
})

test('the fact of a version whose list does not come is not gone past', async () => {
  const followed = await built()
  let isAway = true
  service.faultOf = (path) =>
    isAway && path.endsWith('/members') ? { status: 503, code: 'building' } : undefined
  segment.define()
  await segment.build([5, 6], [7])
  await followed.said('503 building')
  const before = followed.mirror.place?.commit
  expect(followed.members).toHaveLength(4)
  await followed.stop()
  const again = follow()
  await again.said('503 building')
  expect(again.mirror.place?.commit).toBe(before)
  isAway = false
  await segment.publish()
  await again.equal(segment.digest)
  expect(again.members).toEqual(segment.members.toSorted())
  // The list has them before their facts come.
  while ((again.mirror.place?.commit ?? 0n) < segment.position) await nextLook()
  expect(again.entered).toEqual(segment.enteredSince(0n))
})
