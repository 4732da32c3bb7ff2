import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { join } from 'node:path'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { FactsFile } from '../../../support/segments/facts-file.js'
import { DrivenProjections } from '../../../support/segments/driven-projections.js'
import { entityStream } from '../../../../src/domain/entity.js'
import { SmallLog } from '../../../support/segments/small-log.js'

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()
const paid = { property: '/plan', is: { eq: 'paid' } } as const

const folder = temporaryFolders()

let driven: DrivenProjections
let diverged: string[]
let small: SmallLog
let added: number

beforeEach(() => {
  diverged = []
  driven = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  small = new SmallLog().created(at(0))
  added = 0
})
afterEach(() => {
  driven.close()
})

function add(): void {
  for (const fact of small.log.slice(added)) driven.add(fact)
  added = small.log.length
}

const externalId = () => 'ada'
const entityId = () => small.log[0]?.id ?? ''

const ofErased = () => driven.query('erasedEntity', { entityId: entityId() })

/** Erased, with all that is derived published, and what is left of her removed. */
async function erased(): Promise<void> {
  driven.erase(entityId(), at(9))
  await driven.settle()
}

async function served(): Promise<void> {
  small.defined(at(1), 's1', paid).changed(at(2), { plan: 'paid', city: 'Kyoto' })
  add()
  await driven.settle()
}

it('nothing is found of an entity that is erased', async () => {
  await served()
  await erased()
  expect(await driven.query('profile', { externalId: externalId() })).toBeUndefined()
  expect(await driven.query('entityById', { entityId: entityId() })).toBeUndefined()
  expect(await driven.query('entities', { limit: 9 })).toMatchObject({ items: [] })
  const named = { startsWith: externalId().slice(0, 1), limit: 9 }
  expect(await driven.query('entitiesByName', named)).toMatchObject({ items: [] })
  const found = { pointer: '/city', text: 'Kyoto', limit: 9 }
  expect(await driven.query('entitiesByProperty', found)).toMatchObject({ items: [] })
  const timeline = { externalId: externalId(), order: 'asc', by: 'recorded', limit: 9 } as const
  expect(await driven.query('timeline', timeline)).toBeUndefined()
  expect(await driven.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
    members: 0,
    digest: '0'.repeat(16),
    items: [],
  })
})

it('an entity that is erased leaves its segments once, by that', async () => {
  await served()
  driven.erase(entityId(), at(9))
  const { streams } = await driven.query('unpublished', { except: [] })
  const erasure = driven.log.at(-1)?.id
  expect(streams.flatMap(({ facts }) => facts)).toEqual([
    {
      type: 'EntityLeftSegment',
      data: {
        segment: 's1',
        version: 1,
        entityId: entityId(),
        at: at(9),
        cause: { kind: 'erased', factId: erasure },
      },
      causedBy: { factId: erasure, requestId: 'test' },
    },
  ])
  expect(await driven.query('erasedEntity', { entityId: entityId() })).toMatchObject({
    isApplied: false,
    unpublishedLeaves: 1,
    memberships: 0,
  })
  await driven.settle()
  expect(await driven.query('erasedEntity', { entityId: entityId() })).toMatchObject({
    unpublishedLeaves: 0,
    memberships: 1,
  })
  expect(await driven.query('segmentChanges', { key: 's1', limit: 9 })).toMatchObject({ items: [] })
})

it('what a segment that is not served yet is to publish of an entity waits as well', async () => {
  small.defined(at(1), 's1', paid).changed(at(2), { plan: 'paid' })
  add()
  await driven.work(Infinity)
  driven.erase(entityId(), at(9))
  await driven.work(Infinity)
  const waiting = async () => driven.query('erasedEntity', { entityId: entityId() })
  expect(await waiting()).toMatchObject({ unpublishedLeaves: 2 })
  await driven.settle()
  expect(await waiting()).toMatchObject({ unpublishedLeaves: 0 })
  const published = driven.log.filter(({ type }) => type.startsWith('Entity'))
  expect(published.map(({ type }) => type)).toEqual([
    'EntityCreated',
    'EntityPropertiesChanged',
    'EntityErasureRecorded',
    'EntityErased',
    'EntityEnteredSegment',
    'EntityLeftSegment',
  ])
})

it('nobody waits for a leave behind a definition that only a later program understands', async () => {
  await served()
  small.defined(at(3), 's1', { property: '/plan', is: { eq: 'free' } }, 2)
  add()
  driven.erase(entityId(), at(9))
  await driven.settle()
  const { streams } = await driven.query('unpublished', { except: [] })
  expect(streams).toEqual([])
  expect(await ofErased()).toMatchObject({ unpublishedLeaves: 0, memberships: 0 })
})

it('who is erased while what is served is built once more leaves it when that is built', async () => {
  await served()
  await driven.rebuild(0)
  driven.erase(entityId(), at(9))
  expect(await driven.query('profile', { externalId: externalId() })).toBeUndefined()
  expect(await ofErased()).toMatchObject({ isApplied: false, memberships: 0 })
  await driven.work(Infinity)
  expect(await ofErased()).toMatchObject({ unpublishedLeaves: 1, memberships: 0 })
  await driven.settle()
  const left = driven.log.filter(({ type }) => type === 'EntityLeftSegment')
  expect(left.map(({ data }) => JSON.parse(data) as unknown)).toMatchObject([
    { segment: 's1', entityId: entityId(), at: at(9), cause: { kind: 'erased' } },
  ])
  expect(diverged).toEqual([])
})

it('the feed serves that an entity is erased, and nothing else of it', async () => {
  await served()
  await erased()
  const { facts } = await driven.query('facts', { after: 0, limit: 99 })
  expect(facts.map(({ type }) => type)).toEqual([
    'SegmentDefined',
    'SegmentBuilt',
    'EntityEnteredSegment',
    'EntityErasureRecorded',
    'EntityErased',
    'EntityLeftSegment',
  ])
  expect(JSON.stringify(facts)).not.toContain(externalId())
})

it('a leave that is not published when the read model is deleted is derived of the facts that are left, once', async () => {
  small.created(at(1), { plan: 'paid' }, 'other')
  await served()
  driven.erase(entityId(), at(9))
  const { streams } = await driven.query('unpublished', { except: [] })
  await driven.rebuild(0)
  expect(await ofErased()).toMatchObject({ isApplied: false })
  expect(await driven.query('profile', { externalId: externalId() })).toBeUndefined()
  await driven.work(Infinity)
  expect(await driven.query('unpublished', { except: [] })).toMatchObject({ streams })
  expect(await ofErased()).toMatchObject({ unpublishedLeaves: 1, memberships: 0 })
  await driven.settle()
  expect(await ofErased()).toMatchObject({ unpublishedLeaves: 0, memberships: 1 })
  const published = driven.log.length
  await driven.rebuild()
  await driven.settle()
  expect(driven.log).toHaveLength(published)
  expect(await ofErased()).toMatchObject({ unpublishedLeaves: 0, memberships: 1 })
  expect(await driven.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
    items: [{ externalId: 'other' }],
  })
  expect(diverged).toEqual([])
})

it('who entered, left and was erased before a later definition leaves what was served then, and nothing of the later one', async () => {
  const lately = { event: 'login', within: '5m' } as const
  small.defined(at(1), 's1', paid).defined(at(2), 's2', lately)
  add()
  await driven.settle()
  small.event('login', at(3)).changed(at(4), { plan: 'paid' })
  add()
  driven.erase(entityId(), at(10))
  small.created(at(11), { plan: 'paid' }, 'other').defined(at(12), 's3', paid)
  add()
  const { streams } = await driven.query('unpublished', { except: [] })
  const changes = streams.flatMap(({ facts }) => facts).filter(({ data }) => 'entityId' in data)
  expect(changes).toHaveLength(5)
  await driven.rebuild()
  await driven.settle()
  const memberships = driven.log.filter(({ type }) => /^Entity(Entered|Left)/.test(type))
  expect(memberships.map(({ data }) => JSON.parse(data) as unknown)).toEqual(
    changes.map(({ data }) => data),
  )
  expect(diverged).toEqual([])
})

it('what is not published when its entity is erased is published as it was', async () => {
  small.defined(at(1), 's1', paid)
  add()
  await driven.settle()
  small.changed(at(2), { plan: 'paid' })
  add()
  driven.erase(entityId(), at(9))
  await driven.work(Infinity)
  const { streams } = await driven.query('unpublished', { except: [] })
  expect(
    streams.flatMap(({ facts }) => facts).map(({ type, causedBy }) => [type, causedBy]),
  ).toEqual([
    ['EntityEnteredSegment', { factId: small.log.at(-1)?.id, requestId: 'test' }],
    ['EntityLeftSegment', expect.objectContaining({ requestId: 'test' })],
  ])
})

it.each(['gone', 'all gone', 'stubs'] as const)(
  'a read model that is built when the facts are %s comes to the same, and nothing differs',
  async (how) => {
    small.created(at(1), { plan: 'paid' }, 'other')
    await served()
    small.created(at(3), { plan: 'paid' }, 'third')
    add()
    await driven.settle()
    await erased()
    const before = await driven.query('segmentMembers', { key: 's1', limit: 9 })
    await driven.recordRemoval(entityId(), at(9))
    driven.removeFacts(entityId(), how)
    await driven.rebuild()
    await driven.settle()
    expect(await driven.query('segmentMembers', { key: 's1', limit: 9 })).toEqual(before)
    expect(await driven.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
    expect(await ofErased()).toMatchObject({ memberships: 1 })
    expect(diverged).toEqual([])
  },
)

it('another entity may have the name then, with nothing of the one before', async () => {
  await served()
  await erased()
  small.created(at(10))
  add()
  await driven.settle()
  const profile = await driven.query('profile', { externalId: externalId() })
  expect(profile?.entityId).toBe(small.log.at(-1)?.id)
  expect(profile?.segments).toEqual([])
  expect(String(profile?.properties.text)).toBe('{}')
})

it('what others published of one who is erased is passed over where nothing of that one is known', async () => {
  await served()
  await erased()
  driven.removeFacts(entityId(), 'gone')
  await driven.recordRemoval(entityId(), at(9))
  await driven.rebuild()
  const published = { segment: 's1', version: 1, entityId: entityId(), at: at(9) }
  driven.publishFact({
    type: 'EntityLeftSegment',
    data: { ...published, cause: { kind: 'erased', factId: entityId() } },
  })
  expect(diverged).toEqual([])
  driven.publishFact({
    type: 'EntityLeftSegment',
    data: { ...published, entityId: 'another', cause: { kind: 'time' } },
  })
  expect(diverged).toEqual(['others entered or left than was published'])
})

it('one whose facts were removed before they came here is gone at once, and nothing follows from a part of them', async () => {
  await served()
  const behind = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  behind.take(driven.log)
  await behind.settle()
  await erased()
  driven.removeFacts(entityId(), 'gone')
  await driven.recordRemoval(entityId(), at(9))
  await behind.foresee(driven.log)
  expect(await behind.query('profile', { externalId: externalId() })).toBeUndefined()
  expect(await behind.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
  behind.take(driven.log)
  await behind.work(Infinity)
  expect(await behind.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
    members: 0,
  })
  expect(await behind.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
  expect(diverged).toEqual([])
  behind.close()
})

it('an erasure that is foreseen while a segment is built does not make that one diverge', async () => {
  small.created(at(1), { plan: 'paid' }, 'other')
  await served()
  const behind = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  behind.take(driven.log)
  await behind.rebuild(0)
  await erased()
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  await behind.foresee(driven.log)
  behind.take(driven.log)
  await behind.work(Infinity)
  expect(await behind.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
    items: [{ externalId: 'other' }],
  })
  expect(diverged).toEqual([])
  behind.close()
})

it.each(['gone', 'all gone'] as const)(
  'log time is what it was when the fact that it came from is %s',
  async (how) => {
    // Another process had a clock that was ahead.
    small.event('login', at(8))
    small.created(at(2), {}, 'other').defined(at(3), 's1', { event: 'login', within: '5m' })
    small.created(at(4), {}, 'third')
    add()
    await driven.settle()
    const knownAt = Date.parse(at(7))
    const before = await driven.query('profileAt', { externalId: 'other', knownAt })
    driven.erase(entityId(), at(9))
    await driven.settle()
    const { clock } = await driven.query('erasedEntity', { entityId: entityId() })
    expect(clock).toEqual([{ fact: small.log[2]?.id, at: at(8) }])
    await driven.recordRemoval(entityId(), at(9))
    driven.removeFacts(entityId(), how)
    await driven.rebuild()
    await driven.settle()
    expect(before).toBeUndefined()
    expect(await driven.query('profileAt', { externalId: 'other', knownAt })).toBeUndefined()
    expect(diverged).toEqual([])
  },
)

it.each([
  ['ada', 'other'],
  ['other', 'ada'],
])(
  'log time is what it was when the fact that it came from and the one behind it are removed: of %s, then of %s',
  async (...names) => {
    // Of three processes one had a clock that was ahead.
    small.created(at(1), {}, 'other').event('login', at(8))
    small.event('login', at(2), undefined, {}, 'other').event('login', at(3))
    small.defined(at(3), 's1', { event: 'login', within: '5m' })
    small.created(at(4), {}, 'third')
    add()
    await driven.settle()
    const ids = names.map((name) => driven.entityIdOf(name) ?? '')
    for (const id of ids) driven.recordErasure(id, at(4))
    for (const [index, id] of ids.entries()) driven.closeStream(id, at(9 - index))
    small.created(at(3), {}, 'fourth')
    add()
    await driven.settle()
    for (const id of ids) await driven.recordRemoval(id, at(9))
    for (const id of ids) driven.removeFacts(id, 'all gone')
    await driven.rebuild()
    await driven.settle()
    const known = (name: string, minute: number) =>
      driven.query('profileAt', { externalId: name, knownAt: Date.parse(at(minute)) })
    expect([await known('third', 7), await known('fourth', 8)]).toEqual([undefined, undefined])
    expect(await known('third', 8)).toBeDefined()
    expect(await known('fourth', 9)).toBeDefined()
    expect(diverged).toEqual([])
  },
)

it('log time does not come from what was recorded behind an EntityErased, which is stored nowhere', async () => {
  await served()
  driven.erase(entityId(), at(3))
  small.event('login', at(8)).created(at(5), {}, 'other')
  add()
  await driven.settle()
  const known = () => driven.query('profileAt', { externalId: 'other', knownAt: Date.parse(at(6)) })
  expect(await known()).toBeDefined()
  await driven.recordRemoval(entityId(), at(6))
  driven.removeFacts(entityId(), 'all gone')
  await driven.rebuild()
  expect(await known()).toBeDefined()
})

it('log time is what it was when it came from the EntityErased, and the store removes that one too', async () => {
  await served()
  driven.erase(entityId(), at(9), at(3))
  await driven.settle()
  small.created(at(7), {}, 'other')
  add()
  await driven.settle()
  const known = () => driven.query('profileAt', { externalId: 'other', knownAt: Date.parse(at(8)) })
  expect(await known()).toBeUndefined()
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  await driven.rebuild()
  expect(await driven.query('profile', { externalId: 'other' })).toBeDefined()
  expect(await known()).toBeUndefined()
})

it('what came from the EntityErased is certain once a fact behind it is known that stays', async () => {
  await served()
  driven.erase(entityId(), at(9), at(3))
  await driven.settle()
  expect(driven.log.at(-1)?.type).toBe('EntityLeftSegment')
  expect(await ofErased()).toMatchObject({ isFollowed: false, clock: [] })
  small.created(at(7), {}, 'other')
  add()
  const clock = [{ fact: small.log.at(-1)?.id, at: at(9) }]
  expect(await ofErased()).toMatchObject({ isFollowed: true, clock })
})

it.each(['built anew', 'a replica that was behind'] as const)(
  'of facts that are removed, and still in the store, nothing is found: %s',
  async (who) => {
    await served()
    const [creation] = driven.log
    await erased()
    await driven.recordRemoval(entityId(), at(9))
    const before = await driven.query('segmentMembers', { key: 's1', limit: 9 })
    const reader = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
    if (who === 'built anew') await driven.rebuild()
    else {
      await reader.foresee(driven.log)
      reader.take(driven.log)
    }
    const its = who === 'built anew' ? driven : reader
    await its.work(Infinity)
    expect(await its.query('profile', { externalId: externalId() })).toBeUndefined()
    expect(await its.query('entities', { limit: 9 })).toMatchObject({ items: [] })
    expect(await its.query('segmentMembers', { key: 's1', limit: 9 })).toEqual(before)
    expect(await its.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
    const position = creation?.position ?? 0
    expect(await its.query('factAt', { position })).toEqual({ position, id: '' })
    expect(diverged).toEqual([])
    reader.close()
  },
)

it('who reads only that the facts are removed erases by that', async () => {
  await served()
  const behind = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  behind.take(driven.log)
  await behind.settle()
  await erased()
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  behind.take(driven.log)
  await behind.settle()
  expect(await behind.query('profile', { externalId: externalId() })).toBeUndefined()
  expect(await behind.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
  expect(diverged).toEqual([])
  behind.close()
})

describe('another entity of the name that comes before the removal, where the store has removed the EntityErased,', () => {
  const profileIn = async (its: DrivenProjections) => {
    const profile = await its.query('profile', { externalId: externalId() })
    return { id: profile?.entityId, properties: String(profile?.properties.text) }
  }

  /** The profile of the other entity, before and after the removal is read. */
  async function expectOther(reader: DrivenProjections): Promise<void> {
    const other = { id: small.log.at(-2)?.id, properties: '{"plan":"paid"}' }
    await reader.settle()
    expect(await profileIn(reader)).toEqual(other)
    await driven.recordRemoval(entityId(), at(12))
    reader.take(driven.log)
    await reader.settle()
    expect(await profileIn(reader)).toEqual(other)
    const members = await reader.query('segmentMembers', { key: 's1', limit: 9 })
    expect(members).toMatchObject({ members: 1, items: [{ externalId: externalId() }] })
    expect(diverged).toEqual([])
    reader.close()
  }

  async function replaced(): Promise<void> {
    await erased()
    small.created(at(10)).changed(at(11), { plan: 'paid' })
    add()
    await driven.settle()
  }

  it('has nothing of the erased entity in a read model that lags', async () => {
    await served()
    const behind = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
    behind.take(driven.log)
    await behind.settle()
    await replaced()
    driven.removeFacts(entityId(), 'all gone')
    behind.take(driven.log)
    await expectOther(behind)
  })

  it('has nothing of the erased entity in a read model that reads all at once', async () => {
    await served()
    await replaced()
    const log = driven.log.filter(({ type }) => type !== 'EntityErased')
    const fresh = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
    fresh.take(log)
    await expectOther(fresh)
  })
})

it('who reads only that the facts are removed has the log times that it names', async () => {
  await served()
  const behind = new DrivenProjections()
  behind.take(driven.log)
  driven.erase(entityId(), at(9), at(3))
  small.created(at(7), {}, 'other')
  add()
  await driven.settle()
  const { clock } = await ofErased()
  expect(clock).toHaveLength(1)
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  behind.take(driven.log)
  await behind.work(Infinity)
  expect(await behind.query('erasedEntity', { entityId: entityId() })).toMatchObject({ clock })
  behind.close()
})

it('counts what it removes, and says where it was', async () => {
  await served()
  const own = driven.log.filter(({ stream }) => stream === entityStream(externalId()))
  await erased()
  expect((await driven.query('erasedEntity', { entityId: entityId() })).removed).toEqual({
    facts: { EntityCreated: 1, EntityPropertiesChanged: 1 },
    keys: 0,
    positions: own.map(({ position }) => String(position)),
  })
})

it('log times are found block by block of one who is removed, each once, and outlast the process', async () => {
  const path = join(folder(), 'read-model.db')
  driven.close()
  driven = new DrivenProjections(path)
  small.created(at(1), {}, 'other')
  const named: (string | undefined)[] = []
  for (let n = 0; n < 200; n += 1) {
    small.event('login', new Date(Date.parse(at(5)) + n).toISOString())
    small.event('login', new Date(Date.parse(at(2)) + n).toISOString(), undefined, {}, 'other')
    named.push(small.log.at(-1)?.id)
  }
  add()
  await driven.settle()
  await erased()
  const before = (await ofErased()).clock
  expect(before.map(({ fact }) => fact).toSorted()).toEqual(named.toSorted())
  driven.close()
  driven = new DrivenProjections(path)
  expect((await ofErased()).clock).toEqual(before)
})

it('a cursor at a fact that is removed is taken, and one at a place without facts is not', async () => {
  await served()
  const [creation] = driven.log
  await erased()
  driven.removeFacts(entityId(), 'gone')
  await driven.rebuild()
  const position = creation?.position ?? 0
  expect(await driven.query('factAt', { position })).toEqual({ position, id: '' })
  const beyond = (driven.log.at(-1)?.position ?? 0) + 1
  expect(await driven.query('factAt', { position: beyond })).toBeUndefined()
})

it('a dry run counts what would go', async () => {
  await served()
  expect(await driven.query('erasureDryRun', { externalId: externalId() })).toEqual({
    entityId: entityId(),
    facts: { EntityCreated: 1, EntityPropertiesChanged: 1 },
    keys: 0,
    positions: driven.log
      .filter(({ stream }) => stream === entityStream(externalId()))
      .map(({ position }) => String(position)),
    segments: ['s1'],
  })
  expect(await driven.query('erasureDryRun', { externalId: 'nobody' })).toBeUndefined()
})

it('an erasure is applied when nothing is left in the file, and that outlasts the process', async () => {
  const path = join(folder(), 'read-model.db')
  driven.close()
  driven = new DrivenProjections(path)
  await served()
  await erased()
  expect(await driven.query('erasedEntity', { entityId: entityId() })).toMatchObject({
    isApplied: false,
  })
  driven.close()
  driven = new DrivenProjections(path)
  expect(await driven.query('erasedEntity', { entityId: entityId() })).toMatchObject({
    isApplied: true,
    unpublishedLeaves: 0,
    memberships: 1,
  })
})

describe('over the file of an embedded store', () => {
  beforeEach(() => {
    driven.close()
    const facts = new FactsFile(join(folder(), 'facts.db'))
    driven = new DrivenProjections(
      undefined,
      ({ reason }) => diverged.push(reason),
      undefined,
      facts,
    )
  })

  it('stubs come to the same as facts that were removed here, log times too', async () => {
    small.event('login', at(8), at(2)).created(at(4), { plan: 'paid' }, 'other')
    await served()
    await driven.query('timeline', { externalId: 'ada', order: 'asc', by: 'occurred', limit: 9 })
    await erased()
    driven.removeFacts(entityId(), 'stubs')
    const known = async () => ({
      members: await driven.query('segmentMembers', { key: 's1', limit: 9 }),
      profile: await driven.query('profileAt', { externalId: 'other', knownAt: Date.parse(at(7)) }),
      now: await driven.query('profileAt', { externalId: 'other', knownAt: Date.parse(at(8)) }),
      facts: await driven.query('facts', { after: 0, limit: 99 }),
      cursor: await driven.query('factAt', { position: driven.log[0]?.position ?? 0 }),
    })
    const before = await known()
    expect(before.profile).toBeUndefined()
    expect(before.now).toMatchObject({ externalId: 'other' })
    await driven.rebuild()
    await driven.settle()
    expect(await known()).toEqual(before)
    expect(diverged).toEqual([])
  })

  it('an entity that is here when its first stub comes is gone: what was committed of it was lost', async () => {
    await served()
    const facts = new FactsFile(join(folder(), 'facts-too.db'))
    const behind = new DrivenProjections(
      undefined,
      ({ reason }) => diverged.push(reason),
      undefined,
      facts,
    )
    facts.replace(driven.log)
    behind.take(driven.log)
    await behind.settle()
    const last = driven.log.length
    small.event('login', at(5))
    add()
    await erased()
    driven.removeFacts(entityId(), 'stubs')
    facts.replace(driven.log)
    behind.take(driven.log.slice(0, last + 1))
    expect(await behind.query('profile', { externalId: externalId() })).toBeUndefined()
    behind.take(driven.log)
    await behind.work(Infinity)
    expect(await behind.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
      members: 0,
    })
    expect(await behind.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
    expect(diverged).toEqual([])
    behind.close()
  })
})
