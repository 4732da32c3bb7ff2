import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import {
  maxAppendBytes,
  maxMetadataBytes,
  sizeOf,
  type StoredFact,
} from '../../src/application/facts/stored-fact.js'
import type {
  Append,
  EventStore,
  Receipt,
  StoreHealth,
} from '../../src/application/recording/ports/event-store.js'
import { quickOrThorough } from '../support/thoroughness.js'
import { addition, creation, keyed, repeat, storedFact } from '../support/stored-facts.js'
import { faultOfPositions, type HoldAppend } from './held-append.js'

export type StoreInTest = EventStore & StoreHealth & { close(): Promise<void> }

/** The setup that the suite of a store provides. */
export interface StoreBench {
  /** Opens the store. Opens the same data after a close, if the store keeps its data. */
  open(): Promise<StoreInTest>
  /** Returns the stored facts of a stream, oldest first, without using the port. */
  stored(stream: string): Promise<readonly StoredFact[]>
  /** Whether stored facts survive closing and opening the store. */
  readonly keepsItsFacts: boolean
}

/**
 * Tests the promises of every event store. All tests share one store and use their own stream names, because
 * opening a store takes longer than most tests.
 *
 * `holdAppend` is undefined when no append can be held open, because an append is one step or its server cannot be
 * made to wait. Tests that need it are then skipped.
 */
export function eventStoreContract(
  prepare: () => StoreBench,
  holdAppend: HoldAppend | undefined,
): void {
  let bench: StoreBench
  let prefix: string
  let opened: StoreInTest | undefined
  let store: StoreInTest

  beforeAll(() => {
    bench = prepare()
  })

  beforeEach(async () => {
    prefix = `${randomUUID()}-`
    store = await open()
  })

  afterAll(async () => {
    await opened?.close()
  })

  async function open(): Promise<StoreInTest> {
    const inner = (opened ??= await bench.open())
    return {
      append: (append) =>
        inner.append(append.stream === '' ? append : { ...append, stream: prefix + append.stream }),
      check: () => inner.check(),
      close: () => {
        opened = undefined
        return inner.close()
      },
    }
  }

  function itHolding(title: string, test: (hold: HoldAppend) => Promise<void>): void {
    if (holdAppend === undefined) it.skip(title, () => undefined)
    else it(title, () => test(holdAppend))
  }

  const factsIn = (stream: string) => bench.stored(prefix + stream)

  const appendAll = (appends: readonly Append[]) =>
    Promise.all(appends.map((append) => store.append(append)))

  describe('expected state', () => {
    it('writes to a new stream and returns its facts and position', async () => {
      const append = creation('entity-a')
      const receipt = await store.append(append)
      expect(receipt).toEqual({
        position: expect.stringMatching(/^[0-9]+$/),
        facts: append.facts,
        replayed: false,
      })
      expect(await factsIn('entity-a')).toEqual(append.facts)
    })

    it('refuses `new` when the stream exists, and writes nothing', async () => {
      const first = creation('entity-a')
      await store.append(first)
      await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
        code: 'stream_exists',
      })
      expect(await factsIn('entity-a')).toEqual(first.facts)
    })

    it('refuses `existing` when the stream is missing, and creates nothing', async () => {
      await expect(store.append(addition('entity-a'))).rejects.toMatchObject({
        code: 'stream_missing',
      })
      expect(await factsIn('entity-a')).toEqual([])
      await expect(store.append(creation('entity-a'))).resolves.toMatchObject({ replayed: false })
    })

    it('appends to an existing stream in order', async () => {
      const appends = [creation('entity-a'), addition('entity-a'), addition('entity-a')]
      for (const append of appends) await store.append(append)
      expect(await factsIn('entity-a')).toEqual(appends.flatMap(({ facts }) => facts))
    })

    it('keeps the facts of one append together and in order', async () => {
      const facts = [storedFact({ n: 1 }), storedFact({ n: 2 }), storedFact({ n: 3 })]
      const [many, single] = await appendAll([creation('entity-a', ...facts), creation('entity-b')])
      expect(many?.facts).toEqual(facts)
      expect(many?.position).not.toBe(single?.position)
      expect(await factsIn('entity-a')).toEqual(facts)
    })

    it('lets exactly one of many concurrent creations of a stream succeed', async () => {
      const appends = Array.from({ length: 20 }, () => creation('entity-a'))
      const results = await Promise.allSettled(appends.map((append) => store.append(append)))
      const won = results.filter(({ status }) => status === 'fulfilled')
      expect(won).toHaveLength(1)
      for (const result of results) {
        if (result.status === 'rejected')
          expect(result.reason).toMatchObject({ code: 'stream_exists' })
      }
      expect(await factsIn('entity-a')).toHaveLength(1)
    })
  })

  describe('order and concurrency', () => {
    it('gives an append that is sent after a result a higher position', async () => {
      const receipts: Receipt[] = [await store.append(creation('entity-a'))]
      for (let n = 0; n < 10; n += 1) {
        receipts.push(
          await store.append(n % 2 ? addition('entity-a') : creation(`entity-${String(n)}`)),
        )
      }
      const positions = receipts.map(({ position }) => BigInt(position))
      expect(positions).toEqual([...positions].sort((a, b) => (a < b ? -1 : 1)))
      expect(new Set(positions).size).toBe(positions.length)
    })

    it('stores each of many concurrent appends to one stream once', async () => {
      await store.append(creation('entity-a'))
      const count = quickOrThorough({ quick: 100, thorough: 200 })
      const appends = Array.from({ length: count }, (_, n) =>
        addition('entity-a', storedFact({ n })),
      )
      const receipts = await appendAll(appends)
      expect(new Set(receipts.map(({ position }) => position)).size).toBe(count)
      const stored = (await factsIn('entity-a')).slice(1)
      expect(idsOf(stored)).toEqual(idsOf(appends.flatMap(({ facts }) => facts)))
    })

    it('stores concurrent appends to many streams in their own streams', async () => {
      const count = quickOrThorough({ quick: 40, thorough: 100 })
      const streams = Array.from({ length: count }, (_, n) => `entity-${String(n)}`)
      await appendAll(streams.map((stream) => creation(stream)))
      await appendAll(streams.map((stream) => addition(stream, storedFact({ stream }))))
      for (const stream of streams) {
        const [, second] = await factsIn(stream)
        expect(second?.data).toBe(JSON.stringify({ stream }))
      }
    })

    itHolding('assigns positions in the order of commits', async (hold) => {
      expect(await faultOfPositions(store, hold)).toBeUndefined()
    })

    it('does not let a refused append fail others', async () => {
      await store.append(creation('entity-a'))
      const results = await Promise.allSettled([
        store.append(addition('entity-a')),
        store.append(creation('entity-a')),
        store.append(addition('entity-missing')),
        store.append(addition('entity-a', storedFact({ big: 'x'.repeat(maxAppendBytes) }))),
        store.append(addition('entity-a')),
      ])
      expect(results.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'rejected',
        'rejected',
        'fulfilled',
      ])
      expect(await factsIn('entity-a')).toHaveLength(3)
    })
  })

  describe('an idempotency key', () => {
    it('returns the first append result for a repeat, marked as replayed', async () => {
      await store.append(creation('entity-a'))
      const append = keyed(addition('entity-a'), 'k')
      const first = await store.append(append)
      await store.append(addition('entity-a'))
      expect(first.replayed).toBe(false)
      expect(await store.append(repeat(append))).toEqual({ ...first, replayed: true })
      expect(await factsIn('entity-a')).toHaveLength(3)
    })

    it('returns the stored facts for a repeat with other facts', async () => {
      await store.append(creation('entity-a'))
      const first = await store.append(keyed(addition('entity-a', storedFact({ n: 1 })), 'k'))
      const other = await store.append(keyed(addition('entity-a', storedFact({ n: 2 })), 'k'))
      expect(other).toEqual({ ...first, replayed: true })
    })

    it('returns all facts of an append with several facts', async () => {
      const append = keyed(creation('entity-a', storedFact({ n: 1 }), storedFact({ n: 2 })), 'k')
      const first = await store.append(append)
      expect(await store.append(repeat(append))).toEqual({ ...first, replayed: true })
    })

    it('stores one of fifty concurrent repeats, and returns its result to all fifty', async () => {
      await store.append(creation('entity-a'))
      const appends = Array.from({ length: 50 }, (_, n) =>
        keyed(addition('entity-a', storedFact({ n })), 'k'),
      )
      const receipts = await appendAll(appends)
      expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1)
      const [, stored] = await factsIn('entity-a')
      for (const { facts, position } of receipts) {
        expect(facts).toEqual([stored])
        expect(position).toBe(receipts[0]?.position)
      }
    })

    it('returns the result of a creation for its own key, and refuses other keys and no key', async () => {
      const first = await store.append(keyed(creation('entity-a'), 'k'))
      expect(await store.append(keyed(creation('entity-a'), 'k'))).toEqual({
        ...first,
        replayed: true,
      })
      await expect(store.append(keyed(creation('entity-a'), 'l'))).rejects.toMatchObject({
        code: 'stream_exists',
      })
      await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
        code: 'stream_exists',
      })
    })

    it('of a creation is found under `existing`, however many facts followed', async () => {
      const facts = [storedFact({ n: 1 }), storedFact({ n: 2 })]
      const first = await store.append(keyed(creation('entity-a', ...facts), 'k'))
      // A thorough run stores more facts than EventStoreDB searches for an idempotency key. EventStoreDB's own suite
      // tests this limit in a quick run, too.
      const many = Array.from({ length: quickOrThorough({ quick: 3, thorough: 11 }) }, () =>
        addition('entity-a', ...Array.from({ length: 100 }, () => storedFact())),
      )
      for (const append of many) await store.append(append)
      const asked = keyed(addition('entity-a'), 'k')
      expect(await store.append(asked)).toEqual({ ...first, replayed: true })
      const other = await store.append(keyed(addition('entity-a'), 'l'))
      expect(other.replayed).toBe(false)
      expect(await store.append(repeat(asked))).toEqual({ ...first, replayed: true })
    })

    it('stays free when its append was refused', async () => {
      await expect(store.append(keyed(addition('entity-a'), 'k'))).rejects.toMatchObject({
        code: 'stream_missing',
      })
      await store.append(creation('entity-a'))
      const receipt = await store.append(keyed(addition('entity-a'), 'k'))
      expect(receipt.replayed).toBe(false)
    })

    it('in one stream is independent of the same key in another stream', async () => {
      await appendAll([creation('entity-a'), creation('entity-b')])
      const receipts = await appendAll([
        keyed(addition('entity-a'), 'k'),
        keyed(addition('entity-b'), 'k'),
      ])
      expect(receipts.map(({ replayed }) => replayed)).toEqual([false, false])
    })

    it('is found among many others in its stream', async () => {
      await store.append(creation('entity-a'))
      const appends = Array.from({ length: 40 }, (_, n) =>
        keyed(addition('entity-a', storedFact({ n })), `k${String(n % 20)}`),
      )
      const receipts = await appendAll(appends)
      expect(receipts.filter(({ replayed }) => replayed)).toHaveLength(20)
      expect(await factsIn('entity-a')).toHaveLength(21)
    })
  })

  describe('`stored`', () => {
    const asking = (append: Append): Append => ({ ...append, expected: 'stored', facts: [] })

    it('returns the append with the key, for a creation and for an addition', async () => {
      const [beginning, more] = [keyed(creation('entity-a'), 'k'), keyed(addition('entity-a'), 'l')]
      const created = await store.append(beginning)
      const added = await store.append(more)
      await store.append(addition('entity-a'))
      expect(await store.append(asking(beginning))).toEqual({ ...created, replayed: true })
      expect(await store.append(asking(more))).toEqual({ ...added, replayed: true })
    })

    it('writes nothing when nothing is stored under the key, and leaves it free', async () => {
      const append = keyed(addition('entity-a'), 'k')
      await expect(store.append(asking(append))).rejects.toMatchObject({ code: 'not_stored' })
      expect(await factsIn('entity-a')).toEqual([])
      await store.append(creation('entity-a'))
      await store.append(keyed(creation('entity-b'), 'k'))
      await expect(store.append(asking(append))).rejects.toMatchObject({ code: 'not_stored' })
      expect(await factsIn('entity-a')).toHaveLength(1)
      expect(await store.append(append)).toMatchObject({ replayed: false })
    })

    itHolding('waits for an append in flight with the key', async (hold) => {
      await store.append(creation('entity-a'))
      const append = keyed(addition('entity-a'), 'k')
      const held = await hold()
      const first = store.append(append)
      await Promise.race([held.reached, first])
      const found = Promise.allSettled([store.append(asking(append))])
      // The other append is acknowledged now. An append that does not wait would already be refused.
      if (!held.holdsUpOthers) await store.append(creation('entity-b'))
      held.release()
      const value = { ...(await first), replayed: true }
      expect(await found).toEqual([{ status: 'fulfilled', value }])
    })

    it('without a key is refused', async () => {
      await store.append(creation('entity-a'))
      const append: Append = { ...addition('entity-a'), expected: 'stored' }
      await expect(store.append(append)).rejects.toThrow(TypeError)
    })
  })

  describe('`first`', () => {
    const asking = (stream: string): Append => ({ ...addition(stream), expected: 'first' })

    it('returns the first fact of the stream and its position, whatever followed, and writes nothing', async () => {
      const begun = [creation('entity-a'), keyed(creation('entity-b'), 'k')]
      for (const append of begun) {
        const { stream, facts } = append
        const first = { ...(await store.append(append)), replayed: true }
        await store.append(keyed(addition(stream), 'l'))
        await store.append(addition(stream))
        expect(await store.append(asking(stream))).toEqual(first)
        expect(await store.append(asking(stream))).toEqual(first)
        expect(first.facts).toEqual(facts)
        expect(await factsIn(stream)).toHaveLength(3)
      }
    })

    it('returns only the first of facts that were stored together', async () => {
      const facts = [storedFact({ n: 1 }), storedFact({ n: 2 })]
      await store.append(creation('entity-a', ...facts))
      expect(await store.append(asking('entity-a'))).toMatchObject({
        facts: facts.slice(0, 1),
        replayed: true,
      })
    })

    it('returns one fact to all who were refused one of many concurrent creations', async () => {
      const creations = Array.from({ length: 20 }, () => creation('entity-a'))
      const receipts = await Promise.all(
        creations.map(async (append) => {
          const [result] = await Promise.allSettled([store.append(append)])
          return result.status === 'fulfilled' ? result.value : store.append(asking('entity-a'))
        }),
      )
      const [stored] = await factsIn('entity-a')
      expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1)
      for (const { facts, position } of receipts) {
        expect({ facts, position }).toEqual({ facts: [stored], position: receipts[0]?.position })
      }
    })

    it('is refused when the stream is missing, which stays new', async () => {
      await store.append(creation('entity-b'))
      await expect(store.append(asking('entity-a'))).rejects.toMatchObject({
        code: 'stream_missing',
      })
      expect(await factsIn('entity-a')).toEqual([])
      await expect(store.append(creation('entity-a'))).resolves.toMatchObject({ replayed: false })
    })

    it('with a key is refused', async () => {
      await store.append(creation('entity-a'))
      const append: Append = { ...keyed(addition('entity-a'), 'k'), expected: 'first' }
      await expect(store.append(append)).rejects.toThrow(TypeError)
    })
  })

  describe('names and sizes', () => {
    const oddNames = [
      'entity-',
      'entity- a b ',
      'entity-a/b%2F$c-d',
      `entity-'"\`;--`,
      'entity-\n\t\u0001',
      'entity-é',
      'entity-e\u0301',
      'entity-É',
      'entity-\ufeff',
      'entity-\u202eabc',
      'entity-顧客',
      `entity-${'🙂'.repeat(255)}`,
      'entity-%',
      'entity-_',
      'Entity-a',
      'entity-A',
      'entity-a',
      'plain',
    ]

    it('keeps unusual stream names and distinguishes them', async () => {
      await appendAll(oddNames.map((name) => creation(name, storedFact({ name }))))
      for (const name of oddNames) {
        const facts = await factsIn(name)
        expect(facts.map(({ data }) => data)).toEqual([JSON.stringify({ name })])
      }
    })

    it.each([
      ['an empty stream name', creation('')],
      ['half of a surrogate pair in a stream name', creation('entity-\ud800')],
      ['NUL in a stream name', creation('entity-\0')],
      ['no facts', { stream: 'entity-a', expected: 'new', facts: [] } satisfies Append],
      ['a key that is not a hash', { ...creation('entity-a'), key: 'k' }],
    ])('refuses %s', async (_, append) => {
      await expect(store.append(append)).rejects.toThrow(TypeError)
    })

    it('keeps text in every script and every JSON escape unchanged', async () => {
      const fact = storedFact({
        text: '\u0000\u2028"\\/🙂é\u001f',
        half: JSON.parse('"\\ud83d"') as string,
      })
      await store.append(creation('entity-a', fact))
      expect(await factsIn('entity-a')).toEqual([fact])
    })

    /** Returns a fact that EventStoreDB counts as this many bytes, including its type and metadata. */
    const sized = (size: number) => {
      const frame = sizeOf(storedFact({ x: '' }))
      return storedFact({ x: 'x'.repeat(size - frame) })
    }

    it('accepts exactly 1,048,576 bytes of types, data and metadata', async () => {
      await store.append(creation('entity-a', sized(maxAppendBytes)))
      await expect(
        store.append(creation('entity-b', sized(maxAppendBytes + 1))),
      ).rejects.toMatchObject({ code: 'append_too_large' })
      const halves = [sized(maxAppendBytes / 2), sized(maxAppendBytes / 2 + 1)]
      await expect(store.append(creation('entity-b', ...halves))).rejects.toMatchObject({
        code: 'append_too_large',
      })
      expect(await factsIn('entity-b')).toEqual([])
      const [stored] = await factsIn('entity-a')
      expect(stored && sizeOf(stored)).toBe(maxAppendBytes)
    })

    it('accepts this size including 64 KiB of metadata', async () => {
      const pad = 'x'.repeat(
        maxMetadataBytes - JSON.stringify({ schemaVersion: 1, pad: '' }).length,
      )
      const metadata = { schemaVersion: 1, pad }
      const frame = sizeOf(storedFact({ x: '' }, metadata))
      const of = (size: number) => storedFact({ x: 'x'.repeat(size - frame) }, metadata)
      await store.append(creation('entity-a', of(maxAppendBytes)))
      await expect(
        store.append(creation('entity-b', of(maxAppendBytes + 1))),
      ).rejects.toMatchObject({ code: 'append_too_large' })
    })

    it('counts bytes, not characters', async () => {
      const fact = storedFact({ x: 'é'.repeat(maxAppendBytes / 2) })
      await expect(store.append(creation('entity-a', fact))).rejects.toMatchObject({
        code: 'append_too_large',
      })
    })

    it('accepts exactly 64 KiB of metadata', async () => {
      const bytes = (size: number) => {
        const frame = JSON.stringify({ schemaVersion: 1, pad: '' }).length
        return storedFact({}, { schemaVersion: 1, pad: 'x'.repeat(size - frame) })
      }
      await store.append(creation('entity-a', bytes(maxMetadataBytes)))
      await expect(
        store.append(creation('entity-b', bytes(maxMetadataBytes + 1))),
      ).rejects.toMatchObject({ code: 'append_too_large' })
    })
  })

  describe('closing', () => {
    it('completes appends in flight, and keeps acknowledged facts', async () => {
      await store.append(creation('entity-a'))
      const appends = Array.from({ length: 100 }, (_, n) => addition('entity-a', storedFact({ n })))
      const underWay = Promise.allSettled(appends.map((append) => store.append(append)))
      await store.close()
      const results = await underWay
      const acknowledged = results.flatMap((result) =>
        result.status === 'fulfilled' ? result.value.facts : [],
      )
      expect(results).toHaveLength(100)
      if (!bench.keepsItsFacts) return
      store = await open()
      const stored = idsOf(await factsIn('entity-a'))
      for (const { id } of acknowledged) expect(stored).toContain(id)
    })

    it('refuses later appends, and the store is unhealthy', async () => {
      await expect(store.check()).resolves.toBeUndefined()
      await store.close()
      await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
        code: 'store_unavailable',
      })
      const first: Append = { ...addition('entity-a'), expected: 'first' }
      await expect(store.append(first)).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
      await expect(store.close()).resolves.toBeUndefined()
    })

    it('a persistent store still knows its streams, keys and positions', async () => {
      const append = keyed(creation('entity-a'), 'k')
      const first = await store.append(append)
      await store.close()
      store = await open()
      if (!bench.keepsItsFacts) {
        expect(await store.append(append)).toMatchObject({ replayed: false })
        return
      }
      expect(await store.append(repeat(append))).toEqual({ ...first, replayed: true })
      await expect(store.append(creation('entity-a'))).rejects.toMatchObject({
        code: 'stream_exists',
      })
      const next = await store.append(addition('entity-a'))
      expect(BigInt(next.position)).toBeGreaterThan(BigInt(first.position))
    })
  })
}

function idsOf(facts: readonly StoredFact[]): readonly string[] {
  return facts.map(({ id }) => id).sort()
}
