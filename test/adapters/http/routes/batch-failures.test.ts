import { afterEach, describe, expect, jest, test } from '@jest/globals'
import type { Append, EventStore } from '../../../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../../../src/application/ports/refusal.js'
import { create, postBatch, record, update } from '../../../support/batch.js'
import { httpService, noObserver, type HttpService } from '../../../support/http-service.js'

let service: HttpService
const serve = (...parts: Parameters<typeof httpService>) => (service = httpService(...parts))
afterEach(() => service.server.close())

const send = (...items: readonly unknown[]) => postBatch(service.server, items)
const types = (id: string) => service.store.read(`entity-${id}`).map(({ type }) => type)

/** A store that fails an append with what `errorOf` finds for its stream. */
function failing(errorOf: (append: Append) => Error | undefined) {
  return (store: EventStore): EventStore => ({
    append: (append) => {
      const error = errorOf(append)
      return error === undefined ? store.append(append) : Promise.reject(error)
    },
  })
}

describe('what the store does to an item', () => {
  const mayBe = /may or may not be stored/

  test.each<[string, string, RegExp, RegExp, Error]>([
    [
      '503 store_unavailable',
      'refused',
      /Nothing was stored/,
      /an earlier one with the same Idempotency-Key/,
      new Refusal('store_unavailable', 'x'),
    ],
    [
      '503 overloaded',
      'refused',
      /Nothing was stored/,
      /an earlier one with the same Idempotency-Key/,
      new Refusal('overloaded', 'x'),
    ],
    [
      '504 outcome_unknown',
      'unknown',
      mayBe,
      /with the same Idempotency-Key: it will be stored once/,
      new Refusal('outcome_unknown', 'x'),
    ],
    ['500 internal_error', 'unknown', /made a mistake/, /made a mistake/, new TypeError('x')],
    [
      '413 body_too_large',
      'refused',
      /too large/,
      /too large/,
      new Refusal('append_too_large', 'x'),
    ],
  ])(
    '%s is told of that item alone, in the words for keys where it has one',
    async (short, count, plain, keyed, error) => {
      serve({ eventStore: failing(({ stream }) => (stream === 'entity-ok' ? undefined : error)) })
      const answer = await send(create('a', { idempotency_key: 'k' }), create('b'), create('ok'))
      expect(answer.status).toBe(207)
      expect(answer.short).toEqual([short, short, '201'])
      expect(answer.counts).toEqual({ stored: 1, replayed: 0, refused: 0, unknown: 0, [count]: 2 })
      const messages = answer.results.map((one) => ('error' in one ? one.error.message : ''))
      expect(messages[0]).toMatch(keyed)
      expect(messages[1]).toMatch(plain)
      for (const one of answer.results) {
        if ('error' in one) expect(one.error.request_id).toBe(answer.headers['request-id'])
      }
      expect(answer.headers['retry-after']).toBe(short.startsWith('503') ? '1' : undefined)
    },
  )

  test("after an unknown outcome the entity's later items are not sent; those of others are", async () => {
    const append = jest.fn((given: Append) =>
      given.stream === 'entity-a'
        ? Promise.reject(new Refusal('outcome_unknown', 'x'))
        : Promise.resolve({ position: '7', facts: given.facts, replayed: false }),
    )
    serve({ eventStore: () => ({ append }) })
    const { short, counts } = await send(
      create('a'),
      record('a'),
      record('b'),
      update('a'),
      record('b'),
    )
    expect(short).toEqual([
      '504 outcome_unknown',
      '503 store_unavailable',
      '201',
      '503 store_unavailable',
      '201',
    ])
    expect(counts).toEqual({ stored: 2, replayed: 0, refused: 2, unknown: 1 })
    expect(append.mock.calls.map(([{ stream }]) => stream)).toEqual([
      'entity-a',
      'entity-b',
      'entity-b',
    ])
  })

  test('what cannot begin in time is overloaded, and certainly not stored', async () => {
    let now = 0
    serve({
      batchLimits: { now: () => now, timeoutMs: 5_000 },
      eventStore: (store) => ({
        append: (append) => {
          now += 2_500
          return store.append(append)
        },
      }),
    })
    const { short, headers } = await send(create('a'), record('a'), record('a'), record('a'))
    expect(short).toEqual(['201', '201', '503 overloaded', '503 overloaded'])
    expect([headers['position'], headers['retry-after']]).toEqual(['2', '1'])
    expect(types('a')).toEqual(['EntityCreated', 'EventRecorded'])
  })
})

describe('whoever runs the service', () => {
  test('finds a line for each code and batch, with the number of items', async () => {
    const faults: string[] = []
    serve({
      observer: { ...noObserver, fault: (code) => void faults.push(code) },
      eventStore: failing(({ stream }) => {
        if (stream === 'entity-ok') return undefined
        if (stream === 'entity-bug') return new TypeError('planted')
        return stream === 'entity-busy'
          ? new Refusal('overloaded', 'x')
          : new Refusal('outcome_unknown', 'no answer in time')
      }),
    })
    const { headers } = await send(
      create('a'),
      ...Array<object>(997).fill(record('a')),
      create('bug'),
      create('busy'),
    )
    const requestId = headers['request-id']
    const line = (code: string, items: number, reason: unknown) => ({
      level: 'error',
      message: 'items of a batch failed',
      details: { requestId, code, items, reason },
    })
    expect(service.log.lines).toEqual([
      line('outcome_unknown', 1, 'no answer in time'),
      line('store_unavailable', 997, 'an earlier item about the same entity may still be stored'),
      line('internal_error', 1, expect.stringContaining('batch-failures.test.')),
    ])
    const told = new Map<string, number>()
    for (const code of faults) told.set(code, (told.get(code) ?? 0) + 1)
    expect(Object.fromEntries(told)).toEqual({
      outcome_unknown: 1,
      store_unavailable: 997,
      internal_error: 1,
      overloaded: 1,
    })
    await service.server.close()
    expect(service.log.lines.slice(3)).toEqual([
      {
        level: 'warn',
        message: 'requests were refused',
        details: { code: 'overloaded', refused: 1 },
      },
    ])
  })
})
