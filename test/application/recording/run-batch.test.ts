import { describe, expect, test } from '@jest/globals'
import { Refusal } from '../../../src/application/ports/refusal.js'
import {
  runBatchWithin,
  type BatchItem,
  type BatchLimits,
} from '../../../src/application/recording/run-batch.js'
import { quickOrThorough } from '../../support/thoroughness.js'
import { Random } from '../../../fault-injection/random.js'

/** Items that end when the test says so, on a clock that the test sets. */
class Bench {
  /** The names of the items that have begun, in order. */
  readonly begun: string[] = []
  /** The items that have begun and not ended. */
  readonly underWay = new Map<string, { end: () => void; fail: (error: Error) => void }>()
  now = 0

  /** Returns an item whose entity is the first letter of its name. */
  item(name: string): BatchItem<string> {
    return {
      entity: name.slice(0, 1),
      run: () => {
        this.begun.push(name)
        return new Promise((resolve, reject) => {
          const settling = (settle: () => void) => () => {
            this.underWay.delete(name)
            settle()
          }
          this.underWay.set(name, {
            end: settling(() => {
              resolve(name)
            }),
            fail: (error) => {
              settling(() => {
                reject(error)
              })()
            },
          })
        })
      },
    }
  }

  run(names: readonly string[], limits: Partial<BatchLimits> = {}) {
    const runBatch = runBatchWithin({
      inFlight: 100,
      timeoutMs: 1_000,
      now: () => this.now,
      ...limits,
    })
    return runBatch(names.map((name) => this.item(name)))
  }

  async end(...names: readonly string[]): Promise<void> {
    for (const name of names) this.at(name).end()
    await ticks()
  }

  async fail(name: string, error: Error): Promise<void> {
    this.at(name).fail(error)
    await ticks()
  }

  private at(name: string) {
    const item = this.underWay.get(name)
    if (item === undefined) throw new Error(`${name} is not under way`)
    return item
  }
}

/** Resolves when all consequences of settled promises have happened. */
function ticks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const stored = (value: string) => ({ status: 'fulfilled', value })
const refused = (reason: unknown) => ({ status: 'rejected', reason })

test('items of one entity run one after another, concurrently with items of other entities', async () => {
  const bench = new Bench()
  const results = bench.run(['a1', 'b1', 'a2', 'c1', 'a3', 'b2'])
  await ticks()
  expect(bench.begun).toEqual(['a1', 'b1', 'c1'])
  await bench.end('b1')
  expect(bench.begun).toEqual(['a1', 'b1', 'c1', 'b2'])
  await bench.end('a1')
  await bench.end('a2', 'b2', 'c1')
  await bench.end('a3')
  expect(await results).toEqual(['a1', 'b1', 'a2', 'c1', 'a3', 'b2'].map(stored))
  expect(bench.begun.filter((name) => name.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
})

test('an empty batch has no outcomes', async () => {
  expect(await new Bench().run([])).toEqual([])
})

test('an item that throws synchronously is refused alone', async () => {
  const error = new TypeError('planted')
  const runBatch = runBatchWithin({ inFlight: 1, timeoutMs: 1, now: () => 0 })
  const thrown = {
    entity: 'a',
    run: () => {
      throw error
    },
  }
  const results = await runBatch([thrown, { entity: 'a', run: () => Promise.resolve('a2') }])
  expect(results).toEqual([refused(error), stored('a2')])
})

describe('the permitted number of items runs at once:', () => {
  const seeds = Array.from(
    { length: quickOrThorough({ quick: 5, thorough: 200 }) },
    (_, seed) => seed,
  )

  test.each([1, 2, 3, 7])('%i, with any number of items per entity', async (inFlight) => {
    for (const seed of seeds) {
      const random = new Random(seed * 10 + inFlight)
      const names = Array.from(
        { length: random.between(1, 30) },
        (_, n) => `${'abcdefgh'.charAt(Math.floor(random.next() ** 2 * 8))}${String(n)}`,
      )
      const bench = new Bench()
      const results = bench.run(names, { inFlight })
      await ticks()
      while (bench.underWay.size > 0) {
        const entities = new Set([...bench.underWay.keys()].map((name) => name.charAt(0)))
        const left = names.filter((name) => !bench.begun.includes(name) || bench.underWay.has(name))
        const entitiesLeft = new Set(left.map((name) => name.charAt(0)))
        // Each running item belongs to another entity, and no further entity could begin an item.
        expect(entities.size).toBe(bench.underWay.size)
        expect(bench.underWay.size).toBe(Math.min(inFlight, entitiesLeft.size))
        const waiting = [...bench.underWay.keys()]
        await bench.end(waiting[random.between(0, waiting.length - 1)] ?? '')
      }
      expect(await results).toEqual(names.map(stored))
      expect(bench.begun).toHaveLength(names.length)
    }
  })
})

describe('after the time limit of a batch', () => {
  test('an item that has not begun is refused as too late, and running items end', async () => {
    const bench = new Bench()
    const results = bench.run(['a1', 'a2', 'b1', 'c1'], { inFlight: 2, timeoutMs: 50 })
    await ticks()
    bench.now = 49
    await bench.end('b1')
    expect(bench.begun).toEqual(['a1', 'b1', 'c1'])
    bench.now = 50
    await bench.end('a1', 'c1')
    const [a1, a2, b1, c1] = await results
    expect([a1, b1, c1]).toEqual(['a1', 'b1', 'c1'].map(stored))
    expect(a2).toEqual(refused(expect.objectContaining({ code: 'overloaded' })))
    expect(bench.begun).toEqual(['a1', 'b1', 'c1'])
  })

  test('after an unknown outcome later items of the entity are not sent, late or not', async () => {
    const bench = new Bench()
    const results = bench.run(['a1', 'a2'], { timeoutMs: 50 })
    await ticks()
    bench.now = 50
    await bench.fail('a1', new Refusal('outcome_unknown', 'planted'))
    expect((await results)[1]).toEqual(
      refused(expect.objectContaining({ code: 'store_unavailable' })),
    )
  })

  test('each batch has its own time limit', async () => {
    let now = 0
    const runBatch = runBatchWithin({ inFlight: 1, timeoutMs: 50, now: () => now })
    const one = [{ entity: 'a', run: () => Promise.resolve('a1') }]
    expect(await runBatch(one)).toEqual([stored('a1')])
    now = 1_000
    expect(await runBatch(one)).toEqual([stored('a1')])
  })

  test('the time that the batch has already waited counts', async () => {
    const runBatch = runBatchWithin({ inFlight: 1, timeoutMs: 50, now: () => 0 })
    const one = [{ entity: 'a', run: () => Promise.resolve('a1') }]
    expect(await runBatch(one, { waitedMs: 49 })).toEqual([stored('a1')])
    expect(await runBatch(one, { waitedMs: 50 })).toEqual([
      refused(expect.objectContaining({ code: 'overloaded' })),
    ])
  })
})

describe('after an item that was not stored,', () => {
  test('with an unknown outcome, later items of its entity are not sent, and other items continue', async () => {
    const bench = new Bench()
    const unknown = new Refusal('outcome_unknown', 'planted')
    const results = bench.run(['a1', 'a2', 'b1', 'a3', 'b2', 'c1'], { inFlight: 2 })
    await ticks()
    await bench.fail('a1', unknown)
    await bench.end('b1')
    await bench.end('b2', 'c1')
    const notSent = refused(expect.objectContaining({ code: 'store_unavailable' }))
    expect(await results).toEqual([
      refused(unknown),
      notSent,
      stored('b1'),
      notSent,
      stored('b2'),
      stored('c1'),
    ])
    expect(bench.begun).not.toContain('a2')
  })

  test.each([
    new Refusal('store_unavailable', 'planted'),
    new Refusal('overloaded', 'planted'),
    new Refusal('clock_untrusted', 'planted'),
  ])(
    'but may be stored by a retry ($name), later items of its entity are not sent',
    async (error) => {
      const bench = new Bench()
      const results = bench.run(['a1', 'a2', 'b1', 'a3', 'b2'])
      await ticks()
      await bench.fail('a1', error)
      await bench.end('b1')
      await bench.end('b2')
      const notSent = refused(expect.objectContaining({ code: 'store_unavailable' }))
      expect(await results).toEqual([refused(error), notSent, stored('b1'), notSent, stored('b2')])
      expect(bench.begun).toEqual(['a1', 'b1', 'b2'])
    },
  )

  test.each([
    new Refusal('entity_not_found', 'planted'),
    new Refusal('idempotency_key_reused', 'planted'),
    new TypeError('planted'),
  ])('and will not be stored by a retry ($name), later items of its entity run', async (error) => {
    const bench = new Bench()
    const results = bench.run(['a1', 'a2', 'a3'])
    await ticks()
    await bench.fail('a1', error)
    await bench.end('a2')
    await bench.end('a3')
    expect(await results).toEqual([refused(error), stored('a2'), stored('a3')])
  })

  test('because it is too late, later items are too late as well', async () => {
    const bench = new Bench()
    const results = bench.run(['a1', 'a2', 'a3'], { timeoutMs: 50 })
    await ticks()
    bench.now = 50
    await bench.end('a1')
    expect(await results).toEqual([
      stored('a1'),
      refused(expect.objectContaining({ code: 'overloaded' })),
      refused(expect.objectContaining({ code: 'overloaded' })),
    ])
    expect(bench.begun).toEqual(['a1'])
  })
})
