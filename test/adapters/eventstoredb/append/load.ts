import { expect } from '@jest/globals'
import type {
  Append,
  EventStore,
  Receipt,
} from '../../../../src/application/recording/ports/event-store.js'
import { isRefused } from '../../../../src/application/ports/refusal.js'
import type { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { addition, creation, keyed, repeat, storedFact } from '../../../support/stored-facts.js'

export interface Sent {
  readonly append: Append
  readonly result: PromiseSettledResult<Receipt>
}

const streams = quickOrThorough({ quick: 10, thorough: 25 })
const one = 'entity-one'

/** Creates the streams that `mixedAppends` adds to. */
export async function prepareStreams(store: EventStore): Promise<void> {
  const names = Array.from({ length: streams }, (_, n) => `entity-${String(n)}`)
  await Promise.all([one, ...names].map((stream) => store.append(creation(stream))))
}

/** Returns appends of all kinds: with and without idempotency keys, to one stream and to many, and creations. */
export function mixedAppends(count: number, round = 'r'): readonly Append[] {
  return Array.from({ length: count }, (_, n) => {
    const many = `entity-${String(n % streams)}`
    const created = `entity-${round}-${String(n)}`
    const key = `${round}-${String(n)}`
    const append = [
      addition(one, storedFact({ n })),
      addition(many, storedFact({ n })),
      addition(many, storedFact({ n })),
      creation(created, storedFact({ n })),
      creation(created, storedFact({ n })),
      addition(one, storedFact({ n })),
    ][n % 6]
    if (append === undefined) throw new Error('no such kind')
    return n % 6 < 2 || n % 6 === 3 ? append : keyed(append, key)
  })
}

export interface Flight {
  /** Resolves when this many appends have outcomes. */
  settled(count: number): Promise<void>
  readonly all: Promise<readonly Sent[]>
}

export function sendAll(store: EventStore, appends: readonly Append[]): Flight {
  let done = 0
  const watches = new Set<() => void>()
  const promises = appends.map((append) =>
    store.append(append).finally(() => {
      done += 1
      for (const look of watches) look()
    }),
  )
  const all = Promise.allSettled(promises).then((results) =>
    results.map((result, n): Sent => {
      const append = appends[n]
      if (append === undefined) throw new Error('more results than appends')
      return { append, result }
    }),
  )
  const settled = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (done >= count) resolve()
      }
      watches.add(look)
      look()
    })
  return { settled, all }
}

/**
 * Repeats an append with its idempotency key under new ids until it is answered, like a caller who got no reply.
 */
export async function untilAnswered(store: EventStore, append: Append): Promise<Receipt> {
  for (;;) {
    try {
      return await store.append(repeat(append))
    } catch (error) {
      if (!isPassing(error)) throw error
    }
  }
}

export function isPassing(error: unknown): boolean {
  return isRefused(error, 'outcome_unknown', 'store_unavailable', 'overloaded')
}

/** Checks that each append is stored at the position in its answer, and is not stored if it was refused. */
export function expectTruth(double: EventStoreDouble, sent: readonly Sent[]): void {
  const positions = new Map<string, readonly string[]>()
  for (const { id, position } of double.records())
    positions.set(id, [...(positions.get(id) ?? []), String(position)])
  for (const { append, result } of sent) {
    if (result.status === 'fulfilled') {
      const last = result.value.facts.at(-1)?.id ?? ''
      expect(positions.get(last)).toEqual([result.value.position])
      continue
    }
    expect(isPassing(result.reason)).toBe(true)
    const places = append.facts.map(({ id }) => positions.get(id)?.length ?? 0)
    const certain = !isRefused(result.reason, 'outcome_unknown')
    for (const count of places) expect(count).toBeLessThanOrEqual(certain ? 0 : 1)
  }
}

/** Repeats every append with an idempotency key until it is answered. Checks that each is stored once. */
export async function expectOnce(
  store: EventStore,
  double: EventStoreDouble,
  sent: readonly Sent[],
): Promise<void> {
  const wanted = sent.filter(({ append }) => append.key !== undefined)
  const receipts = await Promise.all(wanted.map(({ append }) => untilAnswered(store, append)))
  const keys = new Map<string, number>()
  for (const { metadata } of double.records()) {
    const key = /"idempotencyKey":"([0-9a-f]+)"/.exec(Buffer.from(metadata).toString())?.[1] ?? ''
    keys.set(key, (keys.get(key) ?? 0) + 1)
  }
  for (const [n, { append, result }] of wanted.entries()) {
    expect(keys.get(append.key ?? '')).toBe(1)
    if (result.status === 'fulfilled') expect(receipts[n]?.position).toBe(result.value.position)
  }
}

/** Returns the number of appends with this kind of outcome. */
export function countOf(sent: readonly Sent[], kind: 'receipt' | 'unknown' | 'refused'): number {
  return sent.filter(({ result }) => kindOf(result) === kind).length
}

function kindOf(result: Sent['result']): 'receipt' | 'unknown' | 'refused' {
  if (result.status === 'fulfilled') return 'receipt'
  return isRefused(result.reason, 'outcome_unknown') ? 'unknown' : 'refused'
}
