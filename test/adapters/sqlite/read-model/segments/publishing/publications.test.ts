import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals'
import type { UnpublishedFact } from '../../../../../../src/application/segments/ports/segment-queries.js'
import { DrivenProjections } from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()
const paid = { property: '/plan', is: { eq: 'paid' } } as const
const named = { property: '/name', is: { exists: true } } as const

let driven: DrivenProjections
let small: SmallLog
let added: number
let diverged: string[]

beforeEach(() => {
  diverged = []
  driven = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  small = new SmallLog().created(at(0))
  added = 0
})
afterEach(() => {
  driven.close()
})

/** Applies the facts that were added to the small log, and publishes nothing. */
function add(): void {
  for (const fact of small.log.slice(added)) driven.add(fact)
  added = small.log.length
}

async function unpublished(): Promise<readonly UnpublishedFact[]> {
  const { streams } = await driven.query('unpublished', { except: [] })
  return streams.flatMap(({ facts }) => facts)
}

/** Formats facts as type, version and minute. */
function inShort(facts: readonly UnpublishedFact[]): readonly string[] {
  return facts.map(({ type, data }) => {
    const when = 'at' in data ? ` at ${data.at.slice(14, 16)}` : ''
    return `${type} v${String(data.version)}${when}`
  })
}

/** Defines segment `s1`, backfills its first version and publishes `SegmentBuilt`. */
async function served(rule?: Parameters<SmallLog['defined']>[2]): Promise<void> {
  small.defined(at(1), 's1', rule)
  add()
  await driven.settle()
}

async function status(): Promise<string | undefined> {
  return (await driven.query('segment', { key: 's1' }))?.status
}

it('publishes each change with its instant, cause and served version', async () => {
  await served({ all: [paid, { not: { event: 'complaint', within: '5m' } }] })
  small.changed(at(2), { plan: 'paid' }).event('complaint', at(3)).passed(at(9))
  add()
  const [, change, complaint] = small.log.slice(1).map(({ id }) => id)
  const entity = { segment: 's1', version: 1, entityId: small.log[0]?.id }
  expect(await unpublished()).toEqual([
    {
      type: 'EntityEnteredSegment',
      data: { ...entity, at: at(2), cause: { kind: 'properties', factId: change } },
      causedBy: { factId: change, requestId: 'test' },
    },
    {
      type: 'EntityLeftSegment',
      data: { ...entity, at: at(3), cause: { kind: 'event', factId: complaint } },
      causedBy: { factId: complaint, requestId: 'test' },
    },
    {
      type: 'EntityEnteredSegment',
      data: { ...entity, at: at(8), cause: { kind: 'time' } },
    },
  ])
})

it('names another segment as the cause, with the fact behind it', async () => {
  small.defined(at(1), 's2', { not: { segment: 's1' } })
  small = new SmallLog().created(at(0)).defined(at(0), 's1', paid)
  small.defined(at(1), 's2', { not: { segment: 's1' } })
  add()
  await driven.settle()
  small.changed(at(2), { plan: 'paid' })
  add()
  const causes = (await unpublished()).map(({ type, data }) => [
    type,
    'cause' in data && data.cause,
  ])
  const factId = small.log.at(-1)?.id
  expect(causes).toEqual([
    ['EntityEnteredSegment', { kind: 'properties', factId }],
    ['EntityLeftSegment', { kind: 'segment', factId }],
  ])
})

describe('a new version', () => {
  it('with a new title: earlier changes are published for the old version, later ones for the new', async () => {
    await served(paid)
    small.changed(at(2), { plan: 'paid' })
    small.defined(at(3), 's1', paid)
    small.changed(at(4), { plan: 'free' })
    add()
    const first = ['EntityEnteredSegment v1 at 02', 'SegmentBuilt v2']
    expect(inShort(await unpublished())).toEqual(first)
    await driven.publish()
    expect(inShort(await unpublished())).toEqual(['EntityLeftSegment v2 at 04'])
    await driven.settle()
    await driven.rebuild()
    expect([await unpublished(), diverged]).toEqual([[], []])
  })

  it('changes after its definition are published for the old version only when a newer definition replaces it', async () => {
    await served(paid)
    small.defined(at(2), 's1', named).changed(at(3), { plan: 'paid' })
    add()
    expect(await unpublished()).toEqual([])
    small.defined(at(4), 's1', named).changed(at(5), { plan: 'free' })
    add()
    expect(inShort(await unpublished())).toEqual(['EntityEnteredSegment v1 at 03'])
    await driven.work(Infinity)
    expect(inShort(await unpublished())).toEqual([
      'EntityEnteredSegment v1 at 03',
      'SegmentBuilt v3',
    ])
    await driven.settle()
    small.changed(at(6), { name: 'Ada' })
    add()
    expect(inShort(await unpublished())).toEqual(['EntityEnteredSegment v3 at 06'])
  })

  it('with a new title is backfilled too when a read model is rebuilt from the log', async () => {
    await served(paid)
    small.changed(at(2), { plan: 'paid' }).defined(at(3), 's1', paid)
    add()
    await driven.rebuild()
    expect(inShort(await unpublished())).toEqual([
      'EntityEnteredSegment v1 at 02',
      'SegmentBuilt v2',
    ])
    await driven.settle()
    expect(await status()).toBe('live')
  })

  it('waits for the changes of the old version when a read model is rebuilt from the log', async () => {
    await served(paid)
    small.changed(at(2), { plan: 'paid' }).defined(at(3), 's1', named)
    add()
    await driven.rebuild()
    expect(inShort(await unpublished())).toEqual([
      'EntityEnteredSegment v1 at 02',
      'SegmentBuilt v2',
    ])
  })
})

it('a retired segment publishes nothing more, even after its key is defined again', async () => {
  await served()
  small.put(at(2), 's1').retired(at(3), 's1')
  add()
  expect(await unpublished()).toEqual([])
  small.defined(at(4), 's1').put(at(5), 's1')
  add()
  expect(inShort(await unpublished())).toEqual(['SegmentBuilt v2'])
  await driven.publish()
  expect(inShort(await unpublished())).toEqual(['EntityEnteredSegment v2 at 05'])
})

it('one append has at most 200 facts, and SegmentBuilt comes after them', async () => {
  await served()
  for (let index = 0; index < 125; index += 1) small.put(at(2), 's1').taken(at(2), 's1')
  small.defined(at(3), 's1')
  add()
  const first = await unpublished()
  expect([first.length, new Set(inShort(first)).size]).toEqual([200, 2])
  await driven.publish()
  const rest = await unpublished()
  expect([rest.length, rest.at(-1)?.type]).toEqual([51, 'SegmentBuilt'])
})

it('a change that was derived during a backfill and published before its end is published once', async () => {
  driven.close()
  const pieceBySlice = 0
  driven = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason), pieceBySlice)
  small.created(at(0), {}, 'bob')
  for (let n = 0; n < 300; n += 1) small.event('buy', at(0), undefined, {}, 'bob')
  await served({ event: 'buy' })
  small.event('buy', at(2))
  add()
  const [change] = await unpublished()
  if (change === undefined) throw new Error('nothing was derived')
  let progress: number | undefined = 0
  for (let ticks = 1; progress === 0; ticks += 1) {
    await driven.rebuild(ticks)
    progress = (await driven.query('segment', { key: 's1' }))?.progress
  }
  // The backfill has replayed `ada`, and not yet all facts of `bob`.
  expect(progress).toBeLessThan(1)
  driven.publishFact(change)
  await driven.work(Infinity)
  expect([await status(), await unpublished(), diverged]).toEqual(['live', [], []])
})

it('a change is next although changes of an erased entity wait before it', async () => {
  small.created(at(0), {}, 'bob')
  await served({ event: 'buy' })
  small.event('buy', at(2)).event('buy', at(3), undefined, {}, 'bob')
  add()
  const [ofAda, ofBob] = await unpublished()
  if (ofAda === undefined || ofBob === undefined) throw new Error('two were to be published')
  const [ada] = small.log
  driven.recordErasure(ada?.id ?? '', at(4))
  // A process that was rebuilt after the removal of `ada` publishes this change first.
  driven.publishFact(ofBob)
  expect([await unpublished(), diverged]).toEqual([[ofAda], []])
  driven.publishFact(ofAda)
  expect([await unpublished(), diverged]).toEqual([[], []])
})

describe('the log differs from the derived changes', () => {
  const change = { segment: 's1', version: 1, cause: { kind: 'hand' } } as const
  const entityId = '01a1ff14-0000-7000-8000-000000000001'
  const built = { segment: 's1', version: 1, resolved: {}, builtAt: at(1) }
  const figures = { members: 0, digest: '0'.repeat(16) }
  const through = '01a1ff14-0000-7000-8000-000000000002'

  test.each<[string, Pick<UnpublishedFact, 'type' | 'data'>]>([
    [
      'somebody else',
      { type: 'EntityEnteredSegment', data: { ...change, entityId: 'x', at: at(2) } },
    ],
    ['another cause', { type: 'EntityEnteredSegment', data: { ...change, entityId, at: at(2) } }],
    ['the other way', { type: 'EntityLeftSegment', data: { ...change, entityId, at: at(2) } }],
    [
      'a new version',
      { type: 'EntityEnteredSegment', data: { ...change, version: 2, entityId, at: at(2) } },
    ],
    ['the same build again', { type: 'SegmentBuilt', data: { ...built, ...figures, through } }],
  ])('%s', async (_, fact) => {
    await served()
    small.put(at(2), 's1')
    add()
    driven.publishFact(fact)
    expect([diverged.length, await status()]).toEqual([1, 'diverged'])
    expect(await unpublished()).toEqual([])
    small.taken(at(3), 's1')
    add()
    expect([diverged.length, await unpublished()]).toEqual([1, []])

    await driven.rebuild()
    expect(await status()).toBe('diverged')

    small.defined(at(4), 's1').put(at(5), 's1')
    add()
    await driven.settle()
    expect(await status()).toBe('live')
    small.taken(at(6), 's1')
    add()
    expect(inShort(await unpublished())).toEqual(['EntityLeftSegment v2 at 06'])
  })

  test('SegmentBuilt has other members', async () => {
    small.defined(at(1), 's1')
    add()
    driven.publishFact({
      type: 'SegmentBuilt',
      data: { ...built, ...figures, members: 1, through },
    })
    expect([diverged.length, await status()]).toEqual([1, 'diverged'])
  })

  test('SegmentBuilt comes before all entries were published: publishing continues', async () => {
    await served()
    small.put(at(2), 's1').defined(at(3), 's1').taken(at(4), 's1')
    add()
    const [, next] = await unpublished()
    if (next === undefined) throw new Error('nothing was built')
    driven.publishFact(next)
    expect([diverged.length, await status()]).toEqual([0, 'live'])
    expect(inShort(await unpublished())).toEqual(['EntityLeftSegment v2 at 04'])
  })

  test('the version that repairs the segment is already defined', async () => {
    await served()
    small.put(at(2), 's1').defined(at(3), 's1').taken(at(4), 's1')
    add()
    driven.publishFact({ type: 'EntityLeftSegment', data: { ...change, entityId, at: at(2) } })
    expect(diverged).toHaveLength(1)
    await driven.publish()
    expect([diverged.length, await status()]).toEqual([1, 'live'])
    expect(inShort(await unpublished())).toEqual(['EntityLeftSegment v2 at 04'])
  })

  test('an extra, missing or misplaced change that was published before it was derived', async () => {
    await served()
    small.put(at(2), 's1').taken(at(3), 's1').put(at(4), 's1').taken(at(5), 's1')
    add()
    const [one, two, three, four] = await unpublished()
    if (one === undefined || two === undefined || three === undefined || four === undefined)
      throw new Error('four were to be published')
    const begun = driven.log.length
    for (const published of [[one, three], [one, two, one], [two, one], [one, two, two], [four]]) {
      driven.log.length = begun
      for (const fact of published) driven.publishFact(fact)
      diverged = []
      await driven.rebuild()
      expect([diverged.length, await status()]).toEqual([1, 'diverged'])
    }
  })
})
