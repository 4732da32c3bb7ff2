import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { maxAppendBytes, type StoredFact } from '../../src/application/facts/stored-fact.js'
import {
  noRevision,
  type ExactAppends,
  type ExactReceipt,
  type LastFactReader,
  type StreamReader,
} from '../../src/application/ports/exact-appends.js'
import { WrongRevision } from '../../src/application/ports/refusal.js'
import type { EventStore } from '../../src/application/recording/ports/event-store.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { reasonsIn } from '../support/reasons-in.js'
import { addition, creation, keyHash, storedFact } from '../support/stored-facts.js'
import { wholeStream } from '../support/whole-stream.js'

export type ExactStoreInTest = EventStore &
  ExactAppends &
  StreamReader &
  LastFactReader & { close(): Promise<void> }

/** The setup that the suite of a store provides. */
export interface ExactStoreBench {
  /** Opens the store. Opens the same data after a close, if the store keeps its data. */
  open(): Promise<ExactStoreInTest>
  /** Whether stored facts survive closing and opening the store. */
  readonly keepsItsFacts: boolean
}

/** Tests the promises of every store about appends at an expected revision. */
export function exactAppendsContract(prepare: () => ExactStoreBench): void {
  let bench: ExactStoreBench
  let store: ExactStoreInTest
  /** The name of a stream that was never written. */
  let stream: string

  // Tests share a store and use their own streams, because opening a store takes longer than a test.
  beforeAll(async () => {
    bench = prepare()
    store = await bench.open()
  })

  beforeEach(() => {
    stream = `members-${randomUUID()}`
  })

  afterAll(async () => {
    await store.close()
  })

  const several = (count: number): readonly StoredFact[] =>
    Array.from({ length: count }, (_, n) => storedFact({ n }))
  const appendAt = (revision: number, ...facts: readonly StoredFact[]) =>
    store.appendAt({ stream, revision, facts: facts.length > 0 ? facts : [storedFact()] })
  const stored = (name = stream) => wholeStream(store, name)

  describe('the last fact of a stream', () => {
    it('is undefined before the first append', async () => {
      expect(await store.readLast(stream)).toBeUndefined()
    })

    it('is the fact at the highest revision, also of a stream with several pages', async () => {
      const facts = several(200)
      await appendAt(noRevision, ...facts)
      await appendAt(199, ...several(100))
      const last = storedFact()
      const { position } = await appendAt(299, last)
      const found = await store.readLast(stream)
      expect(found).toEqual({ ...last, revision: 300, position: Number(position) })
    })
  })

  describe('an append at an expected revision', () => {
    it('starts a stream that was never written', async () => {
      const fact = storedFact()
      const receipt = await appendAt(noRevision, fact)
      expect(receipt).toEqual({ position: expect.stringMatching(/^[0-9]+$/), revision: 0 })
      expect(await stored()).toEqual([{ ...fact, revision: 0, position: Number(receipt.position) }])
    })

    it('is stored after the revision that it expects', async () => {
      const facts = several(5)
      const receipts: ExactReceipt[] = []
      for (const [n, fact] of facts.entries()) receipts.push(await appendAt(n - 1, fact))
      expect(receipts.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4])
      expect(await stored()).toEqual(
        facts.map((fact, n) => ({
          ...fact,
          revision: n,
          position: Number(receipts[n]?.position),
        })),
      )
    })

    it.each([noRevision, 0, 1, 3, 4, 1_000])(
      'is refused when the stream is at 2 and not at %d, and writes nothing',
      async (revision) => {
        await appendAt(noRevision, ...several(3))
        const before = await stored()
        await expect(appendAt(revision)).rejects.toEqual(new WrongRevision(2))
        await expect(appendAt(revision, ...several(3))).rejects.toBeInstanceOf(WrongRevision)
        expect(await stored()).toEqual(before)
        expect(await appendAt(2)).toMatchObject({ revision: 3 })
      },
    )

    it.each([0, 7])('is refused at %d where the stream has no facts', async (revision) => {
      await expect(appendAt(revision)).rejects.toEqual(new WrongRevision(noRevision))
      expect(await stored()).toEqual([])
      expect(await appendAt(noRevision)).toMatchObject({ revision: 0 })
    })

    it('is stored once when two are concurrent, in each of many rounds', async () => {
      const last = quickOrThorough({ quick: 14, thorough: 49 })
      for (let revision = noRevision; revision < last; revision += 1) {
        const facts = several(2)
        const results = await Promise.allSettled(facts.map((fact) => appendAt(revision, fact)))
        const failed = reasonsIn(results)
        expect(failed).toEqual([new WrongRevision(revision + 1)])
        const winner = facts[results.findIndex(({ status }) => status === 'fulfilled')]
        const found = await store.readStream(stream, revision + 1)
        expect(found.map(({ id }) => id)).toEqual([winner?.id])
      }
    })

    it('of several facts is stored completely or not at all, when many are concurrent', async () => {
      const runs = Array.from({ length: 20 }, () => several(7))
      const results = await Promise.allSettled(runs.map((facts) => appendAt(noRevision, ...facts)))
      const won = runs.filter((_, n) => results[n]?.status === 'fulfilled')
      expect(won).toHaveLength(1)
      expect((await stored()).map(({ id }) => id)).toEqual(won[0]?.map(({ id }) => id))
    })

    it('can have 200 facts, without gaps and in order', async () => {
      await appendAt(noRevision)
      const facts = several(200)
      expect(await appendAt(0, ...facts)).toMatchObject({ revision: 200 })
      const found = await stored()
      expect(found.map(({ revision }) => revision)).toEqual(
        Array.from({ length: 201 }, (_, n) => n),
      )
      expect(found.slice(1).map(({ id }) => id)).toEqual(facts.map(({ id }) => id))
      const positions = found.map(({ position }) => position)
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other))
    })

    it('that is refused does not fail others', async () => {
      const [entity, other] = [`entity-${randomUUID()}`, `${stream}-2`]
      await appendAt(noRevision)
      await store.append(creation(entity))
      // The appends are independent, so they can be stored in any order.
      const results = await Promise.allSettled([
        appendAt(0),
        appendAt(5),
        store.append(creation(`entity-${randomUUID()}`)),
        store.appendAt({ stream: other, revision: noRevision, facts: several(2) }),
        store.append(addition(`entity-${randomUUID()}`)),
        appendAt(1, storedFact({ big: 'x'.repeat(maxAppendBytes) })),
        store.append(addition(entity)),
      ])
      const failed = results.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))
      expect(failed).toEqual([1, 4, 5])
    })

    it('gets a position among all other appends', async () => {
      const entity = `entity-${randomUUID()}`
      const positions = [
        (await appendAt(noRevision)).position,
        (await store.append(creation(entity))).position,
        (await appendAt(0, ...several(3))).position,
        (await store.append(addition(entity))).position,
      ].map(Number)
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => one - other))
    })

    it('in one stream does not affect another stream', async () => {
      await appendAt(noRevision, ...several(3))
      const other = { stream: `${stream}-2`, facts: [storedFact()] }
      const wrong = store.appendAt({ ...other, revision: 2 })
      await expect(wrong).rejects.toEqual(new WrongRevision(noRevision))
      expect(await store.appendAt({ ...other, revision: noRevision })).toMatchObject({
        revision: 0,
      })
    })

    it.each(['segments', 'dossier-clock'])('can write to the stream %s', async (name) => {
      const before = await stored(name)
      const fact = storedFact()
      const append = { stream: name, revision: before.length - 1, facts: [fact] }
      expect(await store.appendAt(append)).toMatchObject({ revision: before.length })
      expect((await stored(name)).slice(before.length)).toMatchObject([fact])
    })
  })

  describe('reading a stream', () => {
    it('returns all facts page by page, from any revision on', async () => {
      // Reads more than one page of facts: once from the first fact, and once from a fact in the middle.
      const { appends, middle } = quickOrThorough({
        quick: { appends: 2, middle: 45 },
        thorough: { appends: 4, middle: 345 },
      })
      const count = appends * 200
      for (let n = 0; n < appends; n += 1) await appendAt(n * 200 - 1, ...several(200))
      const all = await stored()
      const revisions = Array.from({ length: count }, (_, n) => n)
      expect(all.map(({ revision }) => revision)).toEqual(revisions)
      expect(await wholeStream(store, stream, middle)).toEqual(all.slice(middle))
      expect(await store.readStream(stream, count - 1)).toEqual(all.slice(count - 1))
    })

    it('returns nothing after the end, and nothing for a missing stream', async () => {
      expect(await store.readStream(stream, 0)).toEqual([])
      await appendAt(noRevision)
      expect(await store.readStream(stream, 1)).toEqual([])
      expect(await store.readStream(stream, 1_000)).toEqual([])
    })

    it('returns text in every script and every JSON escape unchanged', async () => {
      const fact = storedFact({
        text: '\u0000\u2028"\\/🙂é\u001f',
        half: JSON.parse('"\\ud83d"') as string,
      })
      stream = `${stream} é🙂/%`
      await appendAt(noRevision, fact)
      expect(await stored()).toMatchObject([fact])
    })
  })

  describe('a call is invalid', () => {
    it.each([
      '',
      'entity-a',
      'segments-of-others',
      'dossier-clocks',
      'Segments',
      'members',
      'members-\0',
    ])('for a stream that is not ours: %j', async (name) => {
      const append = { stream: name, revision: noRevision, facts: [storedFact()] }
      await expect(store.appendAt(append)).rejects.toThrow(TypeError)
      await expect(store.readStream(name, 0)).rejects.toThrow(TypeError)
    })

    it.each(['segments', 'dossier-clock', 'members-a'])(
      'when it appends to %s without a revision',
      async (name) => {
        await expect(store.append(creation(name))).rejects.toThrow(TypeError)
        await expect(store.append(addition(name))).rejects.toThrow(TypeError)
      },
    )

    it.each([-2, 0.5, NaN, Infinity, 2 ** 53])('for the revision %d', async (revision) => {
      await expect(appendAt(revision)).rejects.toThrow(TypeError)
      await expect(store.readStream(stream, revision)).rejects.toThrow(TypeError)
    })

    it('with no facts, more than 200, facts with an idempotency key, or more than a store accepts', async () => {
      const none = store.appendAt({ stream, revision: noRevision, facts: [] })
      await expect(none).rejects.toThrow(TypeError)
      await expect(appendAt(noRevision, ...several(201))).rejects.toThrow(TypeError)
      const keyed = storedFact({}, { schemaVersion: 1, idempotencyKey: keyHash('k') })
      await expect(appendAt(noRevision, keyed)).rejects.toThrow(TypeError)
      const half = storedFact({ x: 'x'.repeat(maxAppendBytes / 2) })
      await expect(appendAt(noRevision, half, { ...half, id: randomUUID() })).rejects.toMatchObject(
        { code: 'append_too_large' },
      )
      expect(await stored()).toEqual([])
    })
  })

  describe('closing', () => {
    it('a persistent store keeps revisions', async () => {
      await appendAt(noRevision, ...several(3))
      const before = await stored()
      await store.close()
      store = await bench.open()
      if (!bench.keepsItsFacts) {
        expect(await stored()).toEqual([])
        return
      }
      expect(await stored()).toEqual(before)
      await expect(appendAt(1)).rejects.toEqual(new WrongRevision(2))
      expect(await appendAt(2)).toMatchObject({ revision: 3 })
    })

    it('completes appends in flight, and refuses later ones', async () => {
      const underWay = Promise.allSettled(several(10).map((fact) => appendAt(noRevision, fact)))
      await store.close()
      const won = (await underWay).filter(({ status }) => status === 'fulfilled')
      expect(won.length).toBeLessThanOrEqual(1)
      await expect(appendAt(0)).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(store.readStream(stream, 0)).rejects.toMatchObject({ code: 'store_unavailable' })
    })
  })
}
