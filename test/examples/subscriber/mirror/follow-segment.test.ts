import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { nextLook } from '../../../support/next-look.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { FollowedMirror } from './followed-mirror.js'
import { ServiceDouble } from './service-double.js'
import { EventStoreDbFacts, MemoryFacts, type FactTarget } from './memory-facts.js'
import { PublishedSegment } from './published-segment.js'

const makeFolder = temporaryFolders()
const cleanUp: (() => Promise<unknown>)[] = []
let database: string

beforeEach(() => {
  database = join(makeFolder(), 'mirror.db')
})

afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
})

interface World {
  readonly target: FactTarget
  readonly segment: PublishedSegment
  readonly service: ServiceDouble
  readonly store: string | undefined
  /** Ends what the mirror follows. */
  readonly breakOff: () => void
}

async function overHttp(): Promise<World> {
  const facts = new MemoryFacts()
  const segment = new PublishedSegment(facts, 20)
  const service = await ServiceDouble.start(segment, facts)
  cleanUp.push(() => service.close())
  const breakOff = () => {
    service.breakStreams()
  }
  return { target: facts, segment, service, store: undefined, breakOff }
}

async function overEventStoreDb(): Promise<World> {
  const double = await EventStoreDouble.start()
  cleanUp.push(() => double.close())
  const facts = new EventStoreDbFacts(double.connectionString)
  cleanUp.push(() => facts.close())
  const segment = new PublishedSegment(facts, 20)
  const service = await ServiceDouble.start(segment)
  cleanUp.push(() => service.close())
  const breakOff = () => {
    double.dropSubscriptions()
  }
  return { target: facts, segment, service, store: double.connectionString, breakOff }
}

/** Its segment is served, with the first ten as members. */
async function built(start: () => Promise<World>): Promise<World> {
  const world = await start()
  world.segment.define()
  await world.segment.build([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  return world
}

function follow({ service, store }: World, others = {}): FollowedMirror {
  const followed = new FollowedMirror({ database, url: service.url, store, ...others })
  cleanUp.push(() => followed.stop())
  return followed
}

type Source = readonly [name: string, start: () => Promise<World>]
const theFeed: Source = ['the feed', overHttp]
const sources = quickOrThorough<readonly Source[]>({
  quick: [theFeed],
  thorough: [theFeed, ['EventStoreDB', overEventStoreDb]],
})

describe.each(sources)('over %s', (_name, start) => {
  test('those of the list entered before; each who enters after has a row, across a restart', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world)
    await followed.said(
      `begins with the list of 10 members at position ${String(segment.position)}`,
    )
    await followed.said(`digest ${segment.digest} equal, 10 members`)
    expect(followed.entered).toEqual([])
    await segment.change(10, 11, 0)
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(await followed.stop()).toBeUndefined()

    await segment.change(12, 10)
    await segment.publish()
    const again = follow(world)
    await again.said('goes on with the facts after position')
    await again.said(`digest ${segment.digest} equal, 11 members`)
    await segment.change(10)
    await segment.publish()
    await again.equal(segment.digest)
    expect(again.members).toEqual(segment.members.toSorted())
    expect(again.entered).toEqual(segment.enteredSince(0n))
    expect(again.entered).toHaveLength(4)
  })

  test('who enters or leaves between two pages, and what the list knows before it is published', async () => {
    const world = await built(start)
    const { segment, service } = world
    await segment.change(0, 1, 15)
    let pages = 0
    service.beforeMembers = async () => {
      pages += 1
      // Behind, before and on the page that was read last; and back again.
      if (pages === 2) await segment.change(2, 19, 5, 16)
      if (pages === 3) await segment.change(2, 3, 15, 15)
    }
    const followed = follow(world)
    await followed.said('begins with the list')
    const listed = service.seen.filter(({ path }) => path.includes('/members'))
    const first = /position (\d+)/.exec(followed.lines[0] ?? '')?.[1]
    expect(listed.length).toBeGreaterThan(3)
    for (const { position } of listed.slice(1))
      expect(Number(position)).toBeGreaterThanOrEqual(Number(first))
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.entered).toEqual(segment.enteredSince(BigInt(first ?? 0)))
  })

  test('a new version: its list is taken anew, its members did not enter', async () => {
    const world = await built(start)
    const { segment, service } = world
    const followed = follow(world)
    await followed.said('equal, 10 members')
    segment.define()
    await segment.change(10, 11)
    const { length } = service.seen
    await segment.build([5, 6, 17, 18], [5, 12, 19])
    const { position } = segment
    await segment.change(13)
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.lines).toContainEqual(expect.stringContaining('version 2 was built'))
    // An older list, of a replica that is behind, would be of the version before.
    const list = service.seen.slice(length).find(({ path }) => path.includes('/members'))
    expect(Number(list?.position)).toBeGreaterThanOrEqual(Number(position))
    expect(followed.entered).toEqual(segment.enteredSince(0n))
    expect(followed.entered).toHaveLength(5)
  })

  test('a build that was overtaken changes nothing', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world)
    await followed.said('equal, 10 members')
    segment.define()
    segment.define()
    await segment.change(10)
    await segment.buildInVain(2)
    await followed.line('version 2 was built: the list was taken anew, 11 members')
    await segment.change(0)
    await segment.publish()
    await followed.equal(segment.digest)
    await segment.build([1], [])
    await segment.change(2)
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.entered).toEqual(segment.enteredSince(0n))
  })

  test('retired: nobody is in it, what is published of it late is passed over, until it is built again', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world)
    await followed.said('equal, 10 members')
    await segment.change(10)
    await segment.publish()
    await followed.equal(segment.digest)
    await segment.change(11)
    await segment.retire()
    await segment.publish()
    await followed.line('nothing is served of the segment')
    segment.define()
    await segment.buildInVain(1)
    // What nobody waits for, though the list would not come.
    await Promise.race([
      reach(followed, segment.published.at(-1)?.position),
      followed.line('building'),
    ])
    expect(followed.mirror.place?.commit).toBeGreaterThanOrEqual(
      segment.published.at(-1)?.position ?? 0n,
    )
    expect(followed.members).toEqual([])
    await segment.build([1, 2], [3])
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.entered).toEqual(segment.enteredSince(0n))
    expect(followed.entered).toHaveLength(2)
  })

  test('a fact that is published again, at another position, takes no effect twice', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world)
    await followed.said('equal, 10 members')
    await segment.change(10, 0)
    await segment.publish()
    const entered = segment.last('EntityEnteredSegment')
    const left = segment.last('EntityLeftSegment')
    await segment.change(10, 0)
    await segment.publish()
    await segment.publishAgain(entered)
    await segment.publishAgain(left)
    await segment.change(14)
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.entered).toEqual(segment.enteredSince(0n))
    expect(followed.entered).toHaveLength(3)
  })

  test('members that are wrong: the digest differs until the time is over, and the list is taken anew', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world, { patienceMs: 1_000 })
    await followed.said('equal, 10 members')
    await segment.change(10)
    segment.forgetUnpublished()
    await followed.line('differs: the list was taken anew, 11 members')
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.entered).toEqual([])
  })

  test('the mirror is equal between two facts, where the service was when it was asked', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world)
    await followed.said('equal, 10 members')
    await segment.change(10)
    await question(world)
    const { digest } = segment
    await segment.change(11)
    const equal = followed.equal(digest)
    await segment.publish()
    await equal
  })

  test('facts that cannot come while the connection is broken prove nothing', async () => {
    const world = await built(start)
    const { segment } = world
    let now = 0
    const followed = follow(world, { patienceMs: 60_000, now: () => now })
    await followed.said('equal, 10 members')
    await segment.change(10)
    await question(world)
    world.breakOff()
    await followed.line('interrupted')
    now += 120_000
    await followed.line('caught up')
    await question(world)
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.lines.filter((line) => line.includes('differs'))).toEqual([])
  })

  test('a list that is taken because the digest differs loses nothing that is published meanwhile', async () => {
    const world = await built(start)
    const { segment, service } = world
    const followed = follow(world, { patienceMs: 1_000 })
    await followed.said('equal, 10 members')
    let pages = 0
    service.beforeMembers = async () => {
      pages += 1
      if (pages !== 2) return
      // On the first page, which has been read.
      await segment.change(0)
      await segment.publish()
      for (let look = 0; look < 5; look += 1) await nextLook()
    }
    await segment.change(10)
    segment.forgetUnpublished()
    await followed.line('differs: the list was taken anew, 11 members')
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.lines.filter((line) => line.includes('differs'))).toHaveLength(1)
  })

  test('what is published of another segment only moves the checkpoint', async () => {
    const world = await built(start)
    const { segment } = world
    const followed = follow(world)
    await followed.said('equal, 10 members')
    const other = new PublishedSegment(world.target, 3, 'others')
    other.define()
    await other.build([0, 1])
    await other.change(2, 0)
    await other.publish()
    await other.retire()
    await segment.change(10)
    await segment.publish()
    await followed.equal(segment.digest)
    expect(followed.members).toEqual(segment.members.toSorted())
    expect(followed.entered).toHaveLength(1)
  })

  test('once: it ends when the digests are equal, which they are when all is published', async () => {
    const world = await built(start)
    const { segment } = world
    await segment.change(10, 11)
    const followed = follow(world, { once: true })
    await followed.said('equal, 12 members')
    expect(await followed.stop()).toBeUndefined()
    expect(followed.lines.at(-1)).toContain('stopped at position')
    // They leave, which is not published yet when it is compared.
    await segment.change(10, 11)
    const next = follow(world, { once: true })
    await next.said('caught up at')
    await segment.publish()
    await next.said(`digest ${segment.digest} equal, 10 members`)
    expect(await next.ended).toBeUndefined()
  })
})

test('while the service is away, EventStoreDB is followed', async () => {
  const world = await built(overEventStoreDb)
  const { segment, service } = world
  const followed = follow(world)
  await followed.said('equal, 10 members')
  service.faultOf = () => 'reset'
  await followed.line('not compared, the service is asked again')
  await segment.change(10, 0)
  await segment.publish()
  await reach(followed, segment.position)
  expect(followed.members).toEqual(segment.members.toSorted())
  expect(followed.entered).toEqual(segment.enteredSince(0n))
})

/** Resolves when the service is asked for the segment. */
async function question({ service, segment }: World): Promise<void> {
  const { length } = service.seen
  const path = `/segments/${segment.key}`
  while (!service.seen.slice(length).some((request) => request.path === path)) await nextLook()
}

/** Resolves when the mirror has followed so far. */
async function reach({ mirror }: FollowedMirror, position = 0n): Promise<void> {
  while ((mirror.place?.commit ?? 0n) < position) await nextLook()
}
