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

/** Erases the entity, publishes all derived changes, and removes the remaining facts. */
async function erased(): Promise<void> {
  driven.erase(entityId(), at(9))
  await driven.settle()
}

async function served(): Promise<void> {
  small.defined(at(1), 's1', paid).changed(at(2), { plan: 'paid', city: 'Kyoto' })
  add()
  await driven.settle()
}

it('no query finds an erased entity', async () => {
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

it('an erased entity leaves its segments once, with the erasure as the cause', async () => {
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

it('the removal also waits for the changes of a segment that is not served yet', async () => {
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

it('the removal does not wait for a leave after a definition of a later version', async () => {
  await served()
  small.defined(at(3), 's1', { property: '/plan', is: { eq: 'free' } }, 2)
  add()
  driven.erase(entityId(), at(9))
  await driven.settle()
  const { streams } = await driven.query('unpublished', { except: [] })
  expect(streams).toEqual([])
  expect(await ofErased()).toMatchObject({ unpublishedLeaves: 0, memberships: 0 })
})

it('an entity that is erased during a backfill leaves the segment when the backfill ends', async () => {
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

it('the feed serves the EntityErased and no other fact of the entity', async () => {
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

it('a leave that was not published when the read model was deleted is derived again from the remaining facts, once', async () => {
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

it('an entity that was erased before a later definition leaves only the version that was served then', async () => {
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

it('changes that wait when their entity is erased are published unchanged', async () => {
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

it('another entity may have the name, without data of the erased entity', async () => {
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

it('published changes of an erased entity are skipped by a read model that never had the entity', async () => {
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

it('an entity whose facts were removed unread is forgotten at once, and its remaining facts have no effect', async () => {
  await served()
  const lagging = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  lagging.take(driven.log)
  await lagging.settle()
  await erased()
  driven.removeFacts(entityId(), 'gone')
  await driven.recordRemoval(entityId(), at(9))
  await lagging.foresee(driven.log)
  expect(await lagging.query('profile', { externalId: externalId() })).toBeUndefined()
  expect(await lagging.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
  lagging.take(driven.log)
  await lagging.work(Infinity)
  expect(await lagging.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
    members: 0,
  })
  expect(await lagging.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
  expect(diverged).toEqual([])
  lagging.close()
})

it('an erasure that is known during a backfill does not make the segment diverge', async () => {
  small.created(at(1), { plan: 'paid' }, 'other')
  await served()
  const lagging = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  lagging.take(driven.log)
  await lagging.rebuild(0)
  await erased()
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  await lagging.foresee(driven.log)
  lagging.take(driven.log)
  await lagging.work(Infinity)
  expect(await lagging.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
    items: [{ externalId: 'other' }],
  })
  expect(diverged).toEqual([])
  lagging.close()
})

it.each(['gone', 'all gone'] as const)(
  'log time stays the same after the removal of the fact that it came from: %s',
  async (how) => {
    // The clock of another process was ahead.
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
  'log time stays the same after the removal of the fact that it came from and of the next fact: of %s, then of %s',
  async (...names) => {
    // The clock of one of three processes was ahead.
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

it('a fact after an EntityErased does not move log time, because it is not stored', async () => {
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

it('log time stays the same when it came from an EntityErased that the store removes', async () => {
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

it('the clock floors of an EntityErased are complete once a fact that stays follows it', async () => {
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

it.each(['a rebuilt read model', 'a replica that lags'] as const)(
  'removed facts that the store still has are not found: %s',
  async (who) => {
    await served()
    const [creation] = driven.log
    await erased()
    await driven.recordRemoval(entityId(), at(9))
    const before = await driven.query('segmentMembers', { key: 's1', limit: 9 })
    const reader = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
    if (who === 'a rebuilt read model') await driven.rebuild()
    else {
      await reader.foresee(driven.log)
      reader.take(driven.log)
    }
    const its = who === 'a rebuilt read model' ? driven : reader
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

it('a read model that reads only the ErasedFactsRemoved erases the entity', async () => {
  await served()
  const lagging = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
  lagging.take(driven.log)
  await lagging.settle()
  await erased()
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  lagging.take(driven.log)
  await lagging.settle()
  expect(await lagging.query('profile', { externalId: externalId() })).toBeUndefined()
  expect(await lagging.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
  expect(diverged).toEqual([])
  lagging.close()
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
    const lagging = new DrivenProjections(undefined, ({ reason }) => diverged.push(reason))
    lagging.take(driven.log)
    await lagging.settle()
    await replaced()
    driven.removeFacts(entityId(), 'all gone')
    lagging.take(driven.log)
    await expectOther(lagging)
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

it('a read model that reads only the ErasedFactsRemoved has the log times that the fact names', async () => {
  await served()
  const lagging = new DrivenProjections()
  lagging.take(driven.log)
  driven.erase(entityId(), at(9), at(3))
  small.created(at(7), {}, 'other')
  add()
  await driven.settle()
  const { clock } = await ofErased()
  expect(clock).toHaveLength(1)
  await driven.recordRemoval(entityId(), at(9))
  driven.removeFacts(entityId(), 'all gone')
  lagging.take(driven.log)
  await lagging.work(Infinity)
  expect(await lagging.query('erasedEntity', { entityId: entityId() })).toMatchObject({ clock })
  lagging.close()
})

it('the removed facts are counted, with a sample of their positions', async () => {
  await served()
  const own = driven.log.filter(({ stream }) => stream === entityStream(externalId()))
  await erased()
  expect((await driven.query('erasedEntity', { entityId: entityId() })).removed).toEqual({
    facts: { EntityCreated: 1, EntityPropertiesChanged: 1 },
    keys: 0,
    positions: own.map(({ position }) => String(position)),
  })
})

it('clock floors are found block by block during the removal, each once, and survive a restart', async () => {
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

it('a cursor at a removed fact is accepted, and a cursor at a position without a fact is not', async () => {
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

it('a dry run counts the facts that would be removed', async () => {
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
  expect(await driven.query('erasureDryRun', { externalId: 'unknown' })).toBeUndefined()
})

it('an erasure is applied once the file has no data of the entity, and that survives a restart', async () => {
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

describe('with the facts in the file of an embedded store', () => {
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

  it('placeholders give the same state as facts that were removed here, with the same log times', async () => {
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

  it('an entity is forgotten when the log has a placeholder for its fact, because the commit of its erasure was lost', async () => {
    await served()
    const facts = new FactsFile(join(folder(), 'facts-too.db'))
    const lagging = new DrivenProjections(
      undefined,
      ({ reason }) => diverged.push(reason),
      undefined,
      facts,
    )
    facts.replace(driven.log)
    lagging.take(driven.log)
    await lagging.settle()
    const last = driven.log.length
    small.event('login', at(5))
    add()
    await erased()
    driven.removeFacts(entityId(), 'stubs')
    facts.replace(driven.log)
    lagging.take(driven.log.slice(0, last + 1))
    expect(await lagging.query('profile', { externalId: externalId() })).toBeUndefined()
    lagging.take(driven.log)
    await lagging.work(Infinity)
    expect(await lagging.query('segmentMembers', { key: 's1', limit: 9 })).toMatchObject({
      members: 0,
    })
    expect(await lagging.query('unpublished', { except: [] })).toMatchObject({ streams: [] })
    expect(diverged).toEqual([])
    lagging.close()
  })
})
