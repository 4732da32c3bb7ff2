import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type {
  Erasable,
  Removal,
  RemovalProgress,
} from '../../src/application/erasing/ports/erasable.js'
import { systemClock, uuidGenerator } from '../../src/adapters/system/clock-and-ids.js'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import { Refusal } from '../../src/application/ports/refusal.js'
import type { Append, EventStore } from '../../src/application/recording/ports/event-store.js'
import { voidEventUseCase, type EventFinder } from '../../src/application/recording/void-event.js'
import { entityStream } from '../../src/domain/entity.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { keyHash } from '../support/stored-facts.js'

export interface ErasableStoreInTest extends EventStore {
  readonly erasable: Erasable
  close(): Promise<void>
}

/** The parts that the suite of a store provides. */
export interface ErasableStoreBench {
  /** Opens the store. Opens the same data after a close, if the store keeps its data. */
  open(): Promise<ErasableStoreInTest>
  /** Returns all facts in the log, oldest first, with the placeholders of removed facts. Does not use the port. */
  logged(): Promise<readonly (StoredFact & { readonly position: number })[]>
  readonly keepsItsFacts: boolean
  /** Whether a blocked id can be released. */
  readonly canRelease: boolean
  /**
   * Whether the store replaces a removed fact by a `FactErased` with its id and position. If not, the service itself
   * removes nothing, and a repeated `close` may return a later position.
   */
  readonly keepsPositions: boolean
}

const codeOf = (outcome: unknown) => (outcome instanceof Refusal ? outcome.code : outcome)

const at = '2026-11-20T09:30:00.007Z'

/** Tests the promises of every store that can erase. */
export function erasableContract(prepare: () => ErasableStoreBench): void {
  let bench: ErasableStoreBench
  let opened: ErasableStoreInTest | undefined
  let store: ErasableStoreInTest
  /** The external id of the current test. No other test uses it. */
  let externalId: string

  const open = async () => (opened ??= await bench.open())
  const reopen = async () => {
    if (!bench.keepsItsFacts) return
    await opened?.close()
    opened = undefined
    store = await open()
  }

  beforeAll(() => {
    bench = prepare()
  })

  beforeEach(async () => {
    store = await open()
    externalId = `ada-${randomUUID()}`
  })

  afterAll(async () => {
    await opened?.close()
  })

  const write = (expected: Append['expected'], key?: string): Append => {
    const keyed = key === undefined ? undefined : keyHash(key)
    const context = { requestId: 'r', keyHash: keyed }
    const properties = { secret: `of ${externalId}` }
    const fact =
      expected === 'new'
        ? toStored(
            {
              id: randomUUID(),
              type: 'EntityCreated',
              data: { externalId, properties, createdAt: at },
            },
            context,
          )
        : toStored(
            {
              id: randomUUID(),
              type: 'EventRecorded',
              data: { entityExternalId: externalId, name: 'purchase', properties, recordedAt: at },
            },
            context,
          )
    const append = { stream: entityStream(externalId), expected, facts: [fact] }
    return keyed === undefined ? append : { ...append, key: keyed }
  }

  const idOf = ({ facts: [fact] }: Append) => fact?.id ?? ''

  /** Creates an entity with this number of events. Returns its id. */
  const create = async (events: number, key?: string): Promise<string> => {
    const creation = write('new', key)
    await store.append(creation)
    for (let n = 0; n < events; n += 1) await store.append(write('existing'))
    return idOf(creation)
  }

  const close = (entityId: string, suppress = true, erasureId = `erasure of ${entityId}`) =>
    store.erasable.close({
      externalId,
      entityId,
      suppress,
      fact: toStored(
        { id: randomUUID(), type: 'EntityErased', data: { erasureId, entityId, at } },
        { requestId: 'erasing', keyHash: undefined },
      ),
    })

  const removeAll = async (removal: Removal): Promise<readonly RemovalProgress[]> => {
    const progress: RemovalProgress[] = []
    do {
      progress.push(await store.erasable.remove(removal, new AbortController().signal))
    } while (progress.at(-1)?.isDone === false)
    return progress
  }

  const erase = async (entityId: string, suppress = true) => {
    const { position } = await close(entityId, suppress)
    const removal = { entityId, closedAt: position, suppress }
    return { removal, progress: await removeAll(removal) }
  }

  const expectRepeat = (
    { position, replayed }: Awaited<ReturnType<typeof close>>,
    first: string,
  ): void => {
    expect(replayed).toBe(true)
    if (bench.keepsPositions) expect(position).toBe(first)
    expect(Number(position)).toBeGreaterThanOrEqual(Number(first))
  }

  const own = async () => (await bench.logged()).filter(({ data }) => data.includes(externalId))
  const refusedWith = (code: string) => expect.objectContaining({ code })
  const outcome = (append: Promise<unknown>) =>
    append.then(
      () => 'stored',
      (error: unknown) => error,
    )

  describe('closing the stream of an entity', () => {
    it('stores the last fact at the returned position', async () => {
      const entityId = await create(2)
      const { position, replayed } = await close(entityId)
      expect(replayed).toBe(false)
      const logged = await bench.logged()
      const last = logged.find((fact) => String(fact.position) === position)
      expect(last?.type).toBe('EntityErased')
      expect(JSON.parse(last?.data ?? '')).toMatchObject({ entityId })
    })

    it('refuses every append to a blocked id, with and without a key, and stores nothing', async () => {
      const entityId = await create(1, 'creation')
      await store.append(write('existing', 'event'))
      await close(entityId)
      const before = (await bench.logged()).length
      const appends = [
        ...[write('new'), write('existing'), write('first')],
        ...[write('new', 'creation'), write('existing', 'event'), write('stored', 'event')],
        ...[write('new', 'another'), write('existing', 'another'), write('stored', 'another')],
      ]
      for (const append of appends) {
        expect(await outcome(store.append(append))).toEqual(refusedWith('stream_erased'))
      }
      await reopen()
      expect(await outcome(store.append(write('new')))).toEqual(refusedWith('stream_erased'))
      expect(await bench.logged()).toHaveLength(before)
    })

    it('refuses a void whose event the read model forgot during the request, with entity_erased', async () => {
      for (const found of ['no entity', 'no event']) {
        externalId = `eve-${randomUUID()}`
        const entityId = await create(1)
        const finder: EventFinder = async () => {
          await close(entityId)
          if (found === 'no event') return undefined
          throw new Refusal('entity_not_found')
        }
        const cameAt = performance.now()
        const request = {
          requestId: 'r',
          externalId,
          eventId: randomUUID(),
          reason: undefined,
          cameAt,
        }
        const voiding = voidEventUseCase({ store, clock: systemClock, ids: uuidGenerator, finder })
        expect(await outcome(voiding(request))).toEqual(refusedWith('entity_erased'))
      }
    })

    it('allows another stream incarnation of an id that is not blocked, without the facts of the former one', async () => {
      const old = await create(1, 'creation')
      await store.append(write('existing', 'event'))
      await close(old, false)
      expect(await outcome(store.append(write('existing')))).toEqual(refusedWith('stream_missing'))
      expect(await outcome(store.append(write('first')))).toEqual(refusedWith('stream_missing'))
      expect(await outcome(store.append(write('stored', 'event')))).toEqual(
        refusedWith('not_stored'),
      )
      const anew = write('new', 'creation')
      expect(await store.append(anew)).toMatchObject({ replayed: false })
      expect(await store.append(write('existing', 'event'))).toMatchObject({ replayed: false })
      expect((await store.append(write('first'))).facts[0]?.id).toBe(idOf(anew))
    })

    it('returns the same result when it is repeated, also after the store was reopened', async () => {
      const entityId = await create(1)
      const { position } = await close(entityId)
      const before = (await bench.logged()).length
      expectRepeat(await close(entityId), position)
      await reopen()
      expectRepeat(await close(entityId), position)
      expect(await bench.logged()).toHaveLength(before)
    })

    it('can be repeated after another incarnation began, and does not change that incarnation', async () => {
      const old = await create(1)
      const { position } = await close(old, false)
      const young = await create(1)
      expectRepeat(await close(old, false), position)
      expect(await store.append(write('existing'))).toMatchObject({ replayed: false })
      await close(young, false)
    })

    it('refuses a missing stream and a stream with another creation, and stores nothing', async () => {
      expect(await outcome(close(randomUUID()))).toEqual(refusedWith('stream_missing'))
      await create(0)
      const before = (await bench.logged()).length
      expect(await outcome(close(randomUUID()))).toEqual(refusedWith('stream_missing'))
      expect(await bench.logged()).toHaveLength(before)
      expect(await store.append(write('existing'))).toMatchObject({ replayed: false })
    })

    it('is atomic: a concurrent append is either stored before it and removed, or refused', async () => {
      for (let round = 0; round < quickOrThorough({ quick: 3, thorough: 60 }); round += 1) {
        externalId = `ada-${randomUUID()}`
        const entityId = await create(1, 'creation')
        await store.append(write('existing', 'known'))
        const racing = Array.from({ length: 12 }, (_, n) => [
          write('existing'),
          write('existing', `k${String(n)}`),
          write('existing', 'known'),
          write('new', `u${String(n)}`),
        ]).flat()
        const closing = Math.floor(Math.random() * racing.length)
        const outcomes = await Promise.all(
          racing.map(async (append, n) => {
            if (n === closing) await close(entityId)
            return outcome(store.append(append))
          }),
        )
        for (const one of outcomes) {
          expect(['stored', 'stream_exists', 'stream_erased']).toContain(codeOf(one))
        }
        const { position } = await close(entityId)
        const late = (await own()).filter((fact) => fact.position > Number(position))
        expect(late).toEqual([])
        await removeAll({ entityId, closedAt: position, suppress: true })
        if (bench.keepsPositions) expect(await own()).toEqual([])
      }
    })
  })

  describe('removing the facts of an entity', () => {
    it('counts facts by type, and keys, in slices of 200, and leaves nothing', async () => {
      const events = 210
      const entityId = await create(events, 'creation')
      await store.append(write('existing', 'event'))
      const { progress, removal } = await erase(entityId)
      const sum = ({ facts }: RemovalProgress) =>
        Object.values(facts).reduce((all, count) => all + count, 0)
      const all = bench.keepsPositions ? { EntityCreated: 1, EventRecorded: events + 1 } : {}
      const keys = bench.keepsPositions ? 2 : 0
      expect(progress.at(-1)).toMatchObject({ facts: all, keys, isDone: true })
      for (const [n, one] of progress.entries()) {
        const before = progress[n - 1]
        expect(sum(one) - (before === undefined ? 0 : sum(before))).toBeLessThanOrEqual(200)
      }
      await reopen()
      expect(await store.erasable.remove(removal, new AbortController().signal)).toMatchObject({
        facts: all,
        keys,
        isDone: true,
      })
    })

    it('keeps only the positions, ids and recording times of the facts', async () => {
      const before = await bench.logged()
      const entityId = await create(3, 'creation')
      const facts = await own()
      const { removal } = await erase(entityId)
      await reopen()
      if (!bench.keepsPositions) return
      const after = await bench.logged()
      expect(after.slice(0, before.length)).toEqual(before)
      const places = after.slice(before.length, before.length + facts.length)
      expect(places.map(({ id, position }) => ({ id, position }))).toEqual(
        facts.map(({ id, position }) => ({ id, position })),
      )
      for (const { type, data, metadata } of places) {
        expect(type).toBe('FactErased')
        expect(JSON.parse(data)).toEqual({ at })
        expect(JSON.parse(metadata)).toEqual({ schemaVersion: 1, $correlationId: 'erasing' })
      }
      expect(String(after.at(-1)?.position)).toBe(removal.closedAt)
    })

    it('removes facts that cannot be read, also of types that this version does not know, and counts them by type', async () => {
      const entityId = await create(0)
      const unreadable = { id: randomUUID(), metadata: '{"schemaVersion":1}' }
      const stream = entityStream(externalId)
      for (const type of ['EventRecorded', 'OfALaterVersion']) {
        const fact = { ...unreadable, type, data: `{"of":"${externalId}"}` }
        await store.append({ stream, expected: 'existing', facts: [fact] })
      }
      const { progress } = await erase(entityId)
      const all = { EntityCreated: 1, EventRecorded: 1, OfALaterVersion: 1 }
      expect(progress.at(-1)?.facts).toEqual(bench.keepsPositions ? all : {})
      if (bench.keepsPositions) expect(await own()).toEqual([])
    })

    it('continues after an interruption', async () => {
      const entityId = await create(230)
      const { position: closedAt } = await close(entityId)
      const removal = { entityId, closedAt, suppress: true }
      await store.erasable.remove(removal, new AbortController().signal)
      await reopen()
      const progress = await removeAll(removal)
      const removed = bench.keepsPositions ? { EntityCreated: 1, EventRecorded: 230 } : {}
      expect(progress.at(-1)?.facts).toEqual(removed)
      if (bench.keepsPositions) expect(await own()).toEqual([])
    })

    it('keeps the facts of other entities, and of another incarnation of the id', async () => {
      const old = await create(1)
      const { position: closedAt } = await close(old, false)
      const young = write('new')
      await store.append(young)
      const event = write('existing')
      await store.append(event)
      await removeAll({ entityId: old, closedAt, suppress: false })
      const ids = (await bench.logged()).map(({ id }) => id)
      expect(ids).toEqual(expect.arrayContaining([idOf(young), idOf(event)]))
      if (bench.keepsPositions) expect(await own()).toHaveLength(2)
      expect((await store.append(write('first'))).facts[0]?.id).toBe(idOf(young))
    })

    it('returns the state of each place', async () => {
      const entityId = await create(1)
      await erase(entityId)
      const { signal } = new AbortController()
      const places = await store.erasable.check({ entityId, positions: [] }, signal)
      expect(places.length).toBeGreaterThan(0)
      for (const { place, state } of places) {
        expect(place).not.toBe('')
        expect(['waiting', 'purged', 'until_vacuum']).toContain(state)
      }
      if (bench.keepsPositions) expect(places.map(({ state }) => state)).not.toContain('waiting')
    })
  })

  describe('lifting a suppression', () => {
    it('allows reuse of the id, or refuses when the store never can', async () => {
      const entityId = await create(1)
      await erase(entityId)
      const released = outcome(store.erasable.release(entityId))
      if (!bench.canRelease) {
        expect(await released).toEqual(refusedWith('not_possible'))
        return
      }
      expect(await released).toBe('stored')
      await store.erasable.release(entityId)
      await reopen()
      expect(await outcome(store.append(write('existing')))).toEqual(refusedWith('stream_missing'))
      expect(await store.append(write('new'))).toMatchObject({ replayed: false })
    })
  })

  it('lists the copies that an erasure does not reach', () => {
    expect(store.erasable.remains.length).toBeGreaterThan(0)
  })
}
