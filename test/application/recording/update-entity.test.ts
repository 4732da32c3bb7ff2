import { beforeEach, describe, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { createEntityUseCase } from '../../../src/application/recording/create-entity.js'
import { Refusal, RuleRefused } from '../../../src/application/ports/refusal.js'
import type { EventStore } from '../../../src/application/recording/ports/event-store.js'
import { trackUnknownOutcomes } from '../../../src/application/recording/track-unknown-outcomes.js'
import { recordEventUseCase } from '../../../src/application/recording/record-event.js'
import {
  updateEntityUseCase,
  type IsFull,
  type UpdateEntityRequest,
} from '../../../src/application/recording/update-entity.js'
import { StoppedClock } from '../../support/http-service.js'

const at = '2026-11-20T09:30:00.000Z'
const later = '2026-11-21T00:00:00.000Z'

let store: MemoryEventStore
let clock: StoppedClock
let made: number
beforeEach(() => {
  store = new MemoryEventStore()
  clock = new StoppedClock(at)
  made = 0
})

/** Entities whose profiles are full, and those that were asked for. */
let full: Set<string>
let asked: string[]
beforeEach(() => {
  full = new Set()
  asked = []
})
const isFull: IsFull = (externalId) => {
  asked.push(externalId)
  return full.has(externalId)
}

const ids = { next: () => `fact-${String((made += 1))}` }

const change = { externalId: 'ada', set: { plan: 'paid' }, unset: ['trial'], upsert: false }

function update(request: Partial<UpdateEntityRequest> = {}, over: EventStore = store) {
  return updateEntityUseCase(over, clock, ids, isFull)({ requestId: 'req', ...change, ...request })
}

/** The same of an update that stores a fact, or did. */
async function storedUpdate(request: Partial<UpdateEntityRequest> = {}) {
  const updated = await update(request)
  if (updated.fact === undefined) throw new Error('no fact is stored')
  return updated
}

function create(idempotencyKey?: string) {
  const request = { requestId: 'req', externalId: 'ada', properties: { plan: 'free' } }
  return createEntityUseCase(store, clock, ids)({ ...request, idempotencyKey })
}

const typesOf = (externalId: string) => store.read(`entity-${externalId}`).map(({ type }) => type)

/** A store that refuses every append so. */
const refusing = (error: Error): EventStore => ({ append: () => Promise.reject(error) })

describe('an entity that exists', () => {
  beforeEach(() => create())

  test.each([false, true])('is changed, upsert %s', async (upsert) => {
    const stored = await storedUpdate({ upsert })
    expect(stored).toMatchObject({
      fact: {
        type: 'EntityPropertiesChanged',
        data: { externalId: 'ada', set: { plan: 'paid' }, unset: ['trial'], changedAt: at },
      },
      position: '2',
      replayed: false,
    })
    const [, fact] = store.read('entity-ada')
    expect(fact).toMatchObject({ id: stored.fact.id, type: 'EntityPropertiesChanged' })
    expect(JSON.parse(fact?.data ?? '')).toEqual(stored.fact.data)
  })
})

describe('an entity that does not exist', () => {
  test('is not found, and nothing is stored', async () => {
    await expect(update()).rejects.toMatchObject({ code: 'entity_not_found' })
    expect(typesOf('ada')).toEqual([])
  })

  test('is created by an upsert, with what is set', async () => {
    expect(await update({ upsert: true })).toMatchObject({
      fact: {
        type: 'EntityCreated',
        data: { externalId: 'ada', properties: { plan: 'paid' }, createdAt: at },
      },
      position: '1',
      replayed: false,
    })
    expect(typesOf('ada')).toEqual(['EntityCreated'])
  })

  test('is created once by many upserts at once, and changed by the others', async () => {
    const stored = await Promise.all(
      Array.from({ length: 20 }, () => storedUpdate({ upsert: true })),
    )
    expect(stored.filter(({ fact }) => fact.type === 'EntityCreated')).toHaveLength(1)
    expect(typesOf('ada')).toHaveLength(20)
  })
})

describe('an upsert that changes nothing', () => {
  const nothing = { set: {}, unset: [], upsert: true }
  const unchanged = { fact: undefined, position: '1', replayed: false }

  test('creates one of many at once, and none of them stores more', async () => {
    const many = [undefined, 'k', 'l'].flatMap((idempotencyKey) =>
      Array.from({ length: 5 }, () => update({ ...nothing, idempotencyKey })),
    )
    const updated = await Promise.all(many)
    expect(updated.filter(({ replayed, fact }) => fact !== undefined && !replayed)).toHaveLength(1)
    expect(new Set(updated.map(({ position }) => position))).toEqual(new Set(['1']))
    expect(typesOf('ada')).toEqual(['EntityCreated'])
  })

  test.each([undefined, 'k'])(
    'stores nothing where the entity exists, as often as it is sent, key %s',
    async (idempotencyKey) => {
      await create()
      await update()
      for (let n = 0; n < 3; n += 1) {
        expect(await update({ ...nothing, idempotencyKey })).toEqual(unchanged)
      }
      expect(typesOf('ada')).toEqual(['EntityCreated', 'EntityPropertiesChanged'])
    },
  )

  test('that created the entity is replayed under its key, whatever came since', async () => {
    const created = await update({ ...nothing, idempotencyKey: 'k' })
    await update({ idempotencyKey: 'l' })
    expect(await update({ ...nothing, idempotencyKey: 'k' })).toEqual({
      ...created,
      replayed: true,
    })
    await expect(update({ ...nothing, idempotencyKey: 'l' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
  })

  test('is a change where a name is unset', async () => {
    await create()
    expect(await update({ ...nothing, unset: ['trial'] })).toMatchObject({
      fact: { type: 'EntityPropertiesChanged' },
    })
  })

  test('is passed by a full profile, and nobody asks whether it is full', async () => {
    await create()
    full.add('ada')
    expect(await update(nothing)).toEqual(unchanged)
    expect(asked).toEqual([])
  })

  test('may be sent again when what it found was gone before it was read', async () => {
    await create()
    const removing: EventStore = {
      append: (append) =>
        append.expected === 'first'
          ? Promise.reject(new Refusal('stream_missing', 'gone'))
          : store.append(append),
    }
    await expect(update(nothing, removing)).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe('a refusal of the store', () => {
  test.each([
    ['stream_missing', new Refusal('stream_missing', 'gone'), 'entity_not_found'],
    ['stream_removed', new Refusal('stream_removed', 'removed'), 'entity_removed'],
    ['store_unavailable', new Refusal('store_unavailable', 'away'), 'store_unavailable'],
    ['outcome_unknown', new Refusal('outcome_unknown', 'no answer'), 'outcome_unknown'],
  ])('%s is told, and an upsert goes no further', async (_name, refusal, told) => {
    await expect(update({ upsert: true }, refusing(refusal))).rejects.toMatchObject({ code: told })
    await expect(update({ upsert: false }, refusing(refusal))).rejects.toMatchObject({ code: told })
  })

  test('of the creation, unless it is that the entity exists, leaves the change unsent', async () => {
    const expected: string[] = []
    const first: EventStore = {
      append: (append) => {
        expected.push(append.expected)
        return Promise.reject(new Refusal('outcome_unknown', 'no answer'))
      },
    }
    await expect(update({ upsert: true }, first)).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(expected).toEqual(['new'])
  })
})

describe('a repeat under the key', () => {
  const idempotencyKey = 'k'

  async function expectReplay(
    first: Partial<UpdateEntityRequest>,
    repeat: Partial<UpdateEntityRequest>,
  ) {
    const stored = await storedUpdate({ ...first, idempotencyKey })
    const kept = store.read('entity-ada')
    clock.time = later
    expect(await update({ ...repeat, idempotencyKey })).toEqual({ ...stored, replayed: true })
    expect(store.read('entity-ada')).toEqual(kept)
    return stored.fact.type
  }

  async function expectReused(
    first: Partial<UpdateEntityRequest>,
    other: Partial<UpdateEntityRequest>,
  ) {
    await update({ ...first, idempotencyKey })
    const kept = store.read('entity-ada')
    await expect(update({ ...other, idempotencyKey })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    })
    expect(store.read('entity-ada')).toEqual(kept)
  }

  const set = { a: 1, b: { c: [1, 2], d: null } }
  const turned = { b: { d: null, c: [1, 2] }, a: 1 }
  const both = [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const

  test.each(both)(
    'of a change answers as the first did, upsert %s and then %s',
    async (first, second) => {
      await create()
      const type = await expectReplay(
        { set, unset: ['x', 'y'], upsert: first },
        { set: turned, unset: ['y', 'x', 'y'], upsert: second },
      )
      expect(type).toBe('EntityPropertiesChanged')
    },
  )

  test.each([false, true])(
    'of a creation compares what is set alone, upsert %s the second time',
    async (upsert) => {
      const first = { set, unset: ['x'], upsert: true }
      expect(await expectReplay(first, { set: turned, unset: ['y'], upsert })).toBe('EntityCreated')
    },
  )

  test.each<[string, Partial<UpdateEntityRequest>]>([
    ['a value', { set: { ...set, a: 2 } }],
    ['one more in set', { set: { ...set, z: 1 } }],
    ['nothing in set', { set: {} }],
  ])('with another body is refused, of a creation and of a change: %s', async (_what, other) => {
    await expectReused({ set, upsert: true }, { set, upsert: true, ...other })
    await expectReused(
      { externalId: 'bob', set, upsert: true },
      { externalId: 'bob', set, upsert: false, ...other },
    )
    await update({ externalId: 'eve', upsert: true })
    await expectReused({ externalId: 'eve', set }, { externalId: 'eve', set, ...other })
  })

  test('with other names to unset is refused where the first changed', async () => {
    await create()
    await expectReused({ unset: ['x'] }, { unset: ['x', 'y'] })
    await expectReused({ unset: ['x'] }, { unset: ['y'] })
  })

  test('is found whatever was stored since', async () => {
    const created = await update({ upsert: true, idempotencyKey })
    const changed = await update({ idempotencyKey: 'l' })
    await update({ set: { plan: 'free' } })
    expect(await update({ upsert: true, idempotencyKey })).toEqual({ ...created, replayed: true })
    expect(await update({ idempotencyKey: 'l' })).toEqual({ ...changed, replayed: true })
    expect(typesOf('ada')).toHaveLength(3)
  })

  test('that was refused before is a new request', async () => {
    await expect(update({ idempotencyKey })).rejects.toMatchObject({ code: 'entity_not_found' })
    expect(await update({ upsert: true, idempotencyKey })).toMatchObject({ replayed: false })
  })

  test('many at once are stored once', async () => {
    const repeats = Array.from({ length: 20 }, () => update({ upsert: true, idempotencyKey }))
    const stored = await Promise.all(repeats)
    expect(stored.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(stored.map(({ position }) => position)).size).toBe(1)
    expect(typesOf('ada')).toEqual(['EntityCreated'])
  })
})

describe('a full profile', () => {
  const set = { plan: 'paid' }

  beforeEach(async () => {
    await create()
    full.add('ada')
  })

  test.each([
    { upsert: false },
    { upsert: true },
    { upsert: false, idempotencyKey: 'k' },
    { upsert: true, idempotencyKey: 'k' },
  ])('takes no more properties: %j', async (request) => {
    await expect(update({ set, unset: [], ...request })).rejects.toThrow(RuleRefused)
    await expect(update({ set, unset: ['trial'], ...request })).rejects.toThrow(RuleRefused)
    expect(typesOf('ada')).toEqual(['EntityCreated'])
  })

  test('lets properties go, and nobody asks whether it is full', async () => {
    expect(await update({ set: {}, unset: ['trial'] })).toMatchObject({ replayed: false })
    expect(typesOf('ada')).toHaveLength(2)
    expect(asked).toEqual([])
  })

  test('replays what was stored before, and compares the body as ever', async () => {
    full.clear()
    const stored = await update({ idempotencyKey: 'k' })
    full.add('ada')
    clock.time = later
    expect(await update({ idempotencyKey: 'k' })).toEqual({ ...stored, replayed: true })
    const other = { set: { plan: 'free' }, idempotencyKey: 'k' }
    await expect(update(other)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(typesOf('ada')).toHaveLength(2)
  })

  test('takes a repeat of what may be stored, and tells what becomes of it', async () => {
    full.clear()
    let isSilent = true
    const tracked = trackUnknownOutcomes({
      append: (append) =>
        isSilent
          ? Promise.reject(new Refusal('outcome_unknown', 'no answer'))
          : store.append(append),
    })
    await expect(update({ idempotencyKey: 'k' }, tracked)).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    full.add('ada')
    await expect(update({ idempotencyKey: 'k' }, tracked)).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    isSilent = false
    expect(await update({ idempotencyKey: 'k' }, tracked)).toMatchObject({ replayed: false })
    expect(await update({ idempotencyKey: 'k' }, tracked)).toMatchObject({ replayed: true })
    await expect(update({ idempotencyKey: 'l' }, tracked)).rejects.toThrow(RuleRefused)
  })

  test('is not refused when the store cannot be asked for the key', async () => {
    const away = refusing(new Refusal('store_unavailable', 'away'))
    await expect(update({ idempotencyKey: 'k' }, away)).rejects.toMatchObject({
      code: 'store_unavailable',
    })
  })

  test('of another entity is another', async () => {
    full = new Set(['bob'])
    expect(await update()).toMatchObject({ replayed: false })
  })
})

test('a key of another command is another key', async () => {
  const created = await create('k')
  const recorded = await recordEventUseCase(
    store,
    clock,
    ids,
  )({
    requestId: 'req',
    entityExternalId: 'ada',
    name: 'login',
    properties: {},
    idempotencyKey: 'k',
  })
  const updated = await update({ idempotencyKey: 'k', upsert: true })
  expect([created, recorded, updated].map(({ replayed }) => replayed)).toEqual([
    false,
    false,
    false,
  ])
  expect((await update({ externalId: 'bob', idempotencyKey: 'k', upsert: true })).replayed).toBe(
    false,
  )
})
