import { describe, expect, it } from '@jest/globals'
import type { RecordedFact } from '../../../../src/adapters/eventstoredb/append/connection.js'
import {
  idempotencyWindow,
  IdempotencyIndex,
} from '../../../../src/adapters/eventstoredb/append/idempotency-index.js'
import type { KeyLookup } from '../../../../src/adapters/eventstoredb/append/find-key.js'
import { KeyedAppend } from '../../../../src/adapters/eventstoredb/append/keyed-append.js'
import type { StreamAccess } from '../../../../src/adapters/eventstoredb/append/stream-access.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { storedFact } from '../../../support/stored-facts.js'

const now = () => performance.now()
const noReadModel = () => Promise.resolve({ kind: 'none' } as const)

it('an append is not refused as certainly not stored when its idempotency key is stored and cannot be read', async () => {
  const index = new IdempotencyIndex()
  index.add([{ fact: storedFact(), revision: 0n, position: 1n, key: 'k' }])
  let reads = 0
  const access: StreamAccess = {
    append: () => Promise.reject(new TypeError('nothing may be appended')),
    read: () => {
      reads += 1
      return reads === 1 ? Promise.resolve([]) : Promise.reject(new TypeError('the store is gone'))
    },
    findKey: noReadModel,
    removed: (code) => new Refusal(code),
    timeIsUp: () => reads > 3,
    pause: () => Promise.resolve(),
  }
  const append = new KeyedAppend({ key: 'k', facts: [storedFact()] }, access, index, now())
  await expect(append.run()).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(reads).toBe(4)
})

/** A stream that accepts every append, and counts the reads of its first fact. */
class StoredStream {
  readonly facts: RecordedFact[] = []
  reads = 0
  readsOfStart = 0
  /** The read model's answer about an idempotency key. */
  lookup: (key: string) => KeyLookup = () => ({ kind: 'none' })

  constructor(keys: readonly (string | undefined)[]) {
    for (const key of keys) this.add(storedFact(), key)
  }

  /** Sends an append of a process whose knowledge is in `index`. */
  send(key: string, index: IdempotencyIndex, cameAt = now()) {
    const facts = [storedFact()]
    return new KeyedAppend({ key, facts }, this.access(key), index, cameAt).run()
  }

  /** Lets the read model know the first `count` facts. */
  knowFirst(count: number): void {
    this.lookup = (key) => {
      const known = this.facts.slice(0, count)
      const found = known.find((fact) => fact.key === key)
      const stored = found && {
        position: String(found.position),
        facts: [found.fact],
        replayed: true,
      }
      return { kind: 'looked', upTo: known.at(-1)?.position ?? -1n, stored }
    }
  }

  private add(fact: RecordedFact['fact'], key: string | undefined): bigint {
    const revision = BigInt(this.facts.length)
    this.facts.push({ fact, revision, position: revision, key })
    return revision
  }

  private access(key: string): StreamAccess {
    return {
      append: (expected, facts) => {
        const head = BigInt(this.facts.length - 1)
        if (expected !== head) return Promise.resolve({ kind: 'wrong', actual: head })
        const [revision = 0n] = facts.map((fact) => this.add(fact, key))
        return Promise.resolve({ kind: 'stored', revision, position: revision })
      },
      read: ({ from, maxCount }) => {
        this.reads += 1
        if (from === 'end') return Promise.resolve(this.facts.slice(-maxCount).reverse())
        if (from === 'start') this.readsOfStart += 1
        const start = from === 'start' ? 0 : Number(from)
        const found = this.facts.filter(({ revision }) => revision >= start)
        return Promise.resolve(found.slice(0, maxCount))
      },
      findKey: () => Promise.resolve(this.lookup(key)),
      removed: (code) => new Refusal(code),
      timeIsUp: () => false,
      pause: () => Promise.resolve(),
    }
  }
}

const others = (count: number) => Array.from({ length: count }, () => undefined)

describe('the idempotency key of a creation', () => {
  it('is found by one read of the first fact when the latest facts do not include it', async () => {
    const stream = new StoredStream(['k', 'k', ...others(idempotencyWindow)])
    const index = new IdempotencyIndex()
    expect((await stream.send('l', index)).replayed).toBe(false)
    expect((await stream.send('m', index)).replayed).toBe(false)
    expect(stream.readsOfStart).toBe(1)
    const [first, second] = stream.facts
    const found = { position: '1', facts: [first?.fact, second?.fact], replayed: true }
    expect(await stream.send('k', index)).toEqual(found)
    expect(await stream.send('k', new IdempotencyIndex())).toEqual(found)
  })

  it('needs no read while the latest facts include it, and none later', async () => {
    const stream = new StoredStream(['k', ...others(idempotencyWindow - 1)])
    const index = new IdempotencyIndex()
    for (let n = 0; n <= idempotencyWindow + 1; n += 1) await stream.send(`k${String(n)}`, index)
    expect(stream.readsOfStart).toBe(0)
    expect(await stream.send('k', index)).toMatchObject({ position: '0', replayed: true })
  })

  it('is still known when so many facts follow that only the latest are read', async () => {
    const stream = new StoredStream(['k', 'a'])
    const index = new IdempotencyIndex()
    await stream.send('b', index)
    const many = new StoredStream([...others(2 * idempotencyWindow)])
    stream.facts.push(...many.facts.map((one) => ({ ...one, revision: one.revision + 3n })))
    expect((await stream.send('c', index)).replayed).toBe(false)
    expect(stream.readsOfStart).toBe(0)
    expect(await stream.send('k', index)).toMatchObject({ position: '0', replayed: true })
  })

  it('is found in the current stream incarnation, also by a process that knows an earlier one', async () => {
    const stream = new StoredStream(['a', 'b'])
    const index = new IdempotencyIndex()
    await stream.send('c', index)
    const young = new StoredStream(['k', ...others(idempotencyWindow)])
    const behind = young.facts.map((one) => ({ ...one, revision: one.revision + 9n }))
    stream.facts.splice(0, stream.facts.length, ...behind)
    expect(await stream.send('k', index)).toMatchObject({ position: '0', replayed: true })
  })

  it('is not refused as certainly not stored when its facts cannot be read', async () => {
    let reads = 0
    const access: StreamAccess = {
      append: () => Promise.reject(new TypeError('nothing may be appended')),
      read: ({ from }) => {
        reads += 1
        return from === 'start'
          ? Promise.reject(new TypeError('the store is gone'))
          : Promise.resolve([])
      },
      findKey: noReadModel,
      removed: (code) => new Refusal(code),
      timeIsUp: () => reads > 3,
      pause: () => Promise.resolve(),
    }
    const index = new IdempotencyIndex()
    index.add([{ fact: storedFact(), revision: 7n, position: 7n, key: undefined }])
    index.first = { key: 'k', position: 0n }
    const append = new KeyedAppend({ key: 'k', facts: [storedFact()] }, access, index, now())
    await expect(append.run()).rejects.toMatchObject({ code: 'outcome_unknown' })
  })
})

describe('the stream', () => {
  it('is read once for all keyed appends of one request', async () => {
    const stream = new StoredStream(['a'])
    const index = new IdempotencyIndex()
    const cameAt = now()
    for (const key of ['k1', 'k2', 'k3']) {
      expect(await stream.send(key, index, cameAt)).toMatchObject({ replayed: false })
    }
    expect(await stream.send('a', index, cameAt)).toMatchObject({ position: '0', replayed: true })
    const { reads } = stream
    expect(await stream.send('k2', index, cameAt)).toMatchObject({ position: '2', replayed: true })
    // Each repeat reads its stored fact.
    expect([reads, stream.reads]).toEqual([2, 3])
  })

  it('is read again for a later request', async () => {
    const stream = new StoredStream(['a'])
    const index = new IdempotencyIndex()
    await stream.send('k1', index, now())
    const { reads } = stream
    await stream.send('k2', index, now() + 1)
    expect(stream.reads).toBe(reads + 1)
  })

  it('is read again when another process wrote to it in the meantime, also with this idempotency key', async () => {
    const stream = new StoredStream(['a'])
    const index = new IdempotencyIndex()
    const cameAt = now()
    await stream.send('k1', index, cameAt)
    await stream.send('k2', new IdempotencyIndex(), now())
    expect(await stream.send('k2', index, cameAt)).toMatchObject({ position: '2', replayed: true })
    expect(await stream.send('k3', index, cameAt)).toMatchObject({ position: '3' })
    expect(stream.facts).toHaveLength(4)
  })
})

describe('an idempotency key older than the latest facts', () => {
  const length = 3 * idempotencyWindow
  const at = (...places: readonly number[]) =>
    Array.from({ length }, (_, place) => (places.includes(place) ? 'k' : undefined))
  const replayOf = (place: number) => ({ position: String(place), replayed: true })

  it('is found in the read model, also by a process that appends continuously', async () => {
    const stream = new StoredStream(at(700))
    stream.knowFirst(length)
    const index = new IdempotencyIndex()
    for (let n = 0; n < 1.5 * idempotencyWindow; n += 1) await stream.send(`k${String(n)}`, index)
    expect(await stream.send('k', index)).toMatchObject(replayOf(700))
    expect(await stream.send('k', new IdempotencyIndex())).toMatchObject(replayOf(700))
    expect(await stream.send('k9', index)).toMatchObject({ replayed: true })
  })

  it.each([0, 1, 999, 1_000, 1_001, 1_999, 2_000, 2_001, 2_999])(
    'at index %i is found by a lagging read model, or in the facts after it',
    async (place) => {
      const stream = new StoredStream(at(place))
      for (const known of [1, 500, 1_500, 2_500]) {
        stream.knowFirst(known)
        expect(await stream.send('k', new IdempotencyIndex())).toMatchObject(replayOf(place))
      }
      expect(stream.facts).toHaveLength(length)
    },
  )

  it('is new when neither has it', async () => {
    const stream = new StoredStream(at())
    stream.knowFirst(1)
    expect(await stream.send('k', new IdempotencyIndex())).toMatchObject({ replayed: false })
    expect(stream.facts).toHaveLength(length + 1)
  })

  it('is refused when the read model does not answer, unless the latest facts are all there are', async () => {
    const stream = new StoredStream(at(700))
    stream.lookup = () => ({ kind: 'silent' })
    const sent = stream.send('k', new IdempotencyIndex())
    await expect(sent).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(stream.facts).toHaveLength(length)
    const short = new StoredStream(['a', ...others(idempotencyWindow - 1)])
    short.lookup = () => ({ kind: 'silent' })
    expect(await short.send('k', new IdempotencyIndex())).toMatchObject({ replayed: false })
  })
})
