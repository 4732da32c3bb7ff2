import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { maxDataBytes } from '../../../../src/application/facts/fact-limits.js'
import type { Append, EventStore } from '../../../../src/application/recording/ports/event-store.js'
import {
  AppendTooLarge,
  OutcomeUnknown,
  Overloaded,
  StoreUnavailable,
} from '../../../../src/application/recording/ports/store-errors.js'
import { create, postBatch, record, update, type BatchResult } from '../../../support/batch.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'

let service: HttpService
const serve = (...parts: Parameters<typeof httpService>) => (service = httpService(...parts))
afterEach(() => service.server.close())

const send = (...items: readonly unknown[]) => postBatch(service.server, items)
const types = (id: string) => service.store.read(`entity-${id}`).map(({ type }) => type)

/** `PATH CODE` of each detail. */
function detailsOf(result: BatchResult | undefined): readonly string[] {
  if (result === undefined || !('error' in result)) return []
  return result.error.details.map(({ path, code }) => `${path} ${code}`)
}

/** A store that fails an append with what `errorOf` finds for its stream. */
function failing(errorOf: (append: Append) => Error | undefined) {
  return (store: EventStore): EventStore => ({
    append: (append) => {
      const error = errorOf(append)
      return error === undefined ? store.append(append) : Promise.reject(error)
    },
  })
}

describe('items that are all stored', () => {
  test('are answered 200, each as its request would be, in their order', async () => {
    serve()
    const { status, results, counts, headers } = await send(
      create('ada', { properties: { a: 1 } }),
      record('ada', { properties: { b: 2 } }),
      update('ada', { set: { a: 2 }, unset: ['z'] }),
      update('new', { set: { c: 3 }, upsert: true }),
      create('bob'),
    )
    expect(status).toBe(200)
    expect(counts).toEqual({ stored: 5, replayed: 0, refused: 0, unknown: 0 })
    const time = '2026-11-20T09:30:00.000Z'
    expect(results).toEqual([
      {
        status: 201,
        data: { external_id: 'ada', properties: { a: 1 }, created_at: time },
        position: expect.any(String),
        replayed: false,
      },
      {
        status: 201,
        data: {
          id: expect.any(String),
          entity_external_id: 'ada',
          name: 'login',
          properties: { b: 2 },
          timestamp: time,
        },
        position: expect.any(String),
        replayed: false,
      },
      {
        status: 200,
        data: { external_id: 'ada', set: { a: 2 }, unset: ['z'], updated_at: time },
        position: expect.any(String),
        replayed: false,
      },
      {
        status: 201,
        data: { external_id: 'new', properties: { c: 3 }, created_at: time },
        position: expect.any(String),
        replayed: false,
      },
      {
        status: 201,
        data: { external_id: 'bob', properties: {}, created_at: time },
        position: expect.any(String),
        replayed: false,
      },
    ])
    expect(headers['position']).toBe('5')
    expect(headers['retry-after']).toBeUndefined()
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(types('ada')).toEqual(['EntityCreated', 'EventRecorded', 'EntityPropertiesChanged'])
  })

  test('are kept with the Request-Id of the batch', async () => {
    serve()
    const { headers } = await postBatch(service.server, [create('ada'), record('ada')], {
      'request-id': 'of-the-batch',
    })
    expect(headers['request-id']).toBe('of-the-batch')
    for (const { metadata } of service.store.read('entity-ada')) {
      expect(JSON.parse(metadata)).toMatchObject({ $correlationId: 'of-the-batch' })
    }
  })

  test('and were before, under the same keys, are replayed', async () => {
    serve()
    const items = [
      create('ada', { idempotency_key: 'k' }),
      record('ada', { idempotency_key: 'k' }),
      record('ada', { idempotency_key: 'k' }),
      update('ada', { set: { a: 1 }, idempotency_key: 'k' }),
    ]
    const first = await send(...items)
    expect(first.short).toEqual(['201', '201', '201 replayed', '200'])
    expect(first.counts).toEqual({ stored: 3, replayed: 1, refused: 0, unknown: 0 })
    const second = await send(...items)
    expect(second.short).toEqual(['201', '201', '201', '200'].map((one) => `${one} replayed`))
    expect(second.counts).toEqual({ stored: 0, replayed: 4, refused: 0, unknown: 0 })
    expect([second.status, second.headers['position']]).toEqual([200, '3'])
    const positions = ({ results }: typeof first) => results.map((one) => 'data' in one && one.data)
    expect(positions(second)).toEqual(positions(first))
  })
})

test('a key is the same in a batch and in a request alone', async () => {
  serve()
  await post(service.server, '/entities', { external_id: 'ada' }, { 'idempotency-key': 'k' })
  const { short } = await send(
    create('ada', { idempotency_key: 'k' }),
    record('ada', { idempotency_key: 'k' }),
    update('ada', { set: { a: 1 }, idempotency_key: 'k' }),
  )
  expect(short).toEqual(['201 replayed', '201', '200'])
  const event = { entity_external_id: 'ada', name: 'login' }
  const replies = [
    await post(service.server, '/events', event, { 'idempotency-key': 'k' }),
    await patch(service.server, 'ada', { set: { a: 1 } }, { 'idempotency-key': 'k' }),
  ]
  expect(replies.map(({ headers }) => headers['idempotency-replayed'])).toEqual(['true', 'true'])
  expect(types('ada')).toHaveLength(3)
})

test('the Position is the highest as a number, which is not that of the last item', async () => {
  const positions = ['99999999999999999998', '9', '100000000000000000000', '88']
  let turn = 0
  serve({
    eventStore: () => ({
      append: ({ facts }) =>
        Promise.resolve({ position: positions[(turn += 1) - 1] ?? '', facts, replayed: false }),
    }),
  })
  const { headers } = await send(create('a'), create('b'), create('c'), create('d'))
  expect(headers['position']).toBe('100000000000000000000')
})

test('no item stored: 207 without a Position', async () => {
  serve()
  const { status, counts, headers } = await send(record('nobody'), { op: 'x' })
  expect(status).toBe(207)
  expect(counts).toEqual({ stored: 0, replayed: 0, refused: 2, unknown: 0 })
  expect('position' in headers).toBe(false)
})

test('an item that is refused spoils no other, before it or after it', async () => {
  serve()
  const { status, short, counts, headers } = await send(
    create('ada', { idempotency_key: 'k' }),
    create('ada'),
    record('ada', { name: '' }),
    record('nobody'),
    create('ada', { idempotency_key: 'k', properties: { other: 1 } }),
    record('ada'),
    { op: 'record_event' },
  )
  expect(status).toBe(207)
  expect(short).toEqual([
    '201',
    '409 entity_exists',
    '422 validation_failed',
    '404 entity_not_found',
    '422 idempotency_key_reused',
    '201',
    '422 validation_failed',
  ])
  expect(counts).toEqual({ stored: 2, replayed: 0, refused: 5, unknown: 0 })
  expect([headers['position'], headers['retry-after']]).toEqual(['2', undefined])
  expect(types('ada')).toEqual(['EntityCreated', 'EventRecorded'])
  expect(service.log.lines).toEqual([])
})

describe('an item that breaks rules is told which, by paths in it', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['no op', {}, ['/op required']],
    ['no known op', { op: 'delete_entity' }, ['/op unknown_operation']],
    ['a name that objects have', { op: 'constructor' }, ['/op unknown_operation']],
    ['an op that is no text', { op: 1 }, ['/op wrong_type']],
    ['an op that is null', { op: null }, ['/op wrong_type']],
    ['no op and no key', { idempotency_key: '' }, ['/idempotency_key empty', '/op required']],
    ['no name of an entity', { op: 'create_entity' }, ['/external_id required']],
    ['no name of an entity to change', { op: 'update_entity' }, ['/external_id required']],
    [
      'no name of an event',
      { op: 'record_event' },
      ['/entity_external_id required', '/name required'],
    ],
    ['nothing to change', update('a', {}), [' required']],
    ['a name in both', update('a', { set: { b: 1 }, unset: ['b'] }), ['/unset/0 conflict']],
    ['fields of another op', create('a', { name: 'x' }), ['/name unknown_field']],
    ['the field of a route', record('a', { external_id: 'a' }), ['/external_id unknown_field']],
    [
      'a key too long',
      create('a', { idempotency_key: 'k'.repeat(256) }),
      ['/idempotency_key too_long'],
    ],
    ['an empty key', create('a', { idempotency_key: '' }), ['/idempotency_key empty']],
    [
      'a key with a space',
      create('a', { idempotency_key: 'a b' }),
      ['/idempotency_key bad_characters'],
    ],
    [
      'a key that is a number',
      create('a', { idempotency_key: 1 }),
      ['/idempotency_key wrong_type'],
    ],
    ['a key that is null', create('a', { idempotency_key: null }), ['/idempotency_key wrong_type']],
    [
      'wrong types',
      create('a', { external_id: 1, properties: [] }),
      ['/external_id wrong_type', '/properties wrong_type'],
    ],
    [
      'all of it at once',
      { ...create('', { properties: { 'a/~b': 1e300 }, idempotency_key: '' }), x: 1 },
      [
        '/external_id empty',
        '/idempotency_key empty',
        '/properties/a~1~0b number_out_of_range',
        '/x unknown_field',
      ],
    ],
  ])('%s', async (_what, item, details) => {
    serve()
    const { results, counts } = await send(item, create('other'))
    expect(results[0]).toMatchObject({ status: 422, error: { code: 'validation_failed' } })
    expect([...detailsOf(results[0])].sort()).toEqual(details)
    expect(counts).toEqual({ stored: 1, replayed: 0, refused: 1, unknown: 0 })
  })

  test('at most a hundred of them, and of what is as long as a batch may be each its first', async () => {
    serve()
    const leaves = Object.fromEntries(
      Array.from({ length: 150 }, (_, n) => [`k${String(n)}`, 1e300]),
    )
    let properties: object = leaves
    for (let level = 0; level < 6; level += 1) properties = { ['~'.repeat(255)]: properties }
    const { results } = await send(...Array<object>(40).fill(create('a', { properties })))
    const counts = results.map((one) => detailsOf(one).length)
    expect(counts[0]).toBe(100)
    expect(counts.at(-1)).toBe(1)
    const text = JSON.stringify(results)
    expect(text.length).toBeLessThan(2 * 4_194_304)
  })
})

test('an item that is more than a store takes is too large, alone', async () => {
  serve()
  const { results, short } = await send(
    create('ada', { properties: { text: 'x'.repeat(maxDataBytes) } }),
    create('bob', { properties: { text: 'x'.repeat(maxDataBytes - 1_000) } }),
  )
  expect(short).toEqual(['413 body_too_large', '201'])
  expect(results[0]).toMatchObject({
    error: { message: 'The body is too large. Send less at once.' },
  })
})

describe('what the store does to an item', () => {
  const mayBe = /may or may not be stored/

  test.each<[string, string, RegExp, RegExp, Error]>([
    [
      '503 store_unavailable',
      'refused',
      /Nothing was stored/,
      /an earlier one with the same Idempotency-Key/,
      new StoreUnavailable('x'),
    ],
    [
      '503 overloaded',
      'refused',
      /Nothing was stored/,
      /an earlier one with the same Idempotency-Key/,
      new Overloaded('x'),
    ],
    [
      '504 outcome_unknown',
      'unknown',
      mayBe,
      /with the same Idempotency-Key: it will be stored once/,
      new OutcomeUnknown('x'),
    ],
    ['500 internal_error', 'unknown', /made a mistake/, /made a mistake/, new TypeError('x')],
    ['413 body_too_large', 'refused', /too large/, /too large/, new AppendTooLarge('x')],
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
        ? Promise.reject(new OutcomeUnknown('x'))
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

describe('a limit of requests', () => {
  test('counts the items, and refuses each beyond it', async () => {
    const asked: string[] = []
    serve({
      rateLimit: {
        take: (keyId) => {
          asked.push(keyId)
          return Promise.resolve(asked.length > 3 ? asked.length : undefined)
        },
      },
    })
    const { status, short, results, headers } = await send(
      create('a'),
      { op: 'x' },
      record('a'),
      record('a', { idempotency_key: 'k' }),
      { op: 'x' },
    )
    expect(asked).toEqual(['w', 'w', 'w', 'w', 'w'])
    expect(status).toBe(207)
    expect(short).toEqual([
      '201',
      '422 validation_failed',
      '201',
      '429 rate_limited',
      '429 rate_limited',
    ])
    expect(headers['retry-after']).toBe('5')
    expect(results[3]).toMatchObject({
      error: { message: expect.stringContaining('an earlier one') },
    })
    expect(results[4]).toMatchObject({
      error: { message: expect.stringContaining('Nothing was stored') },
    })
  })

  test('does not count a batch that is refused as a whole', async () => {
    const take = jest.fn(() => Promise.resolve(undefined))
    serve({ rateLimit: { take } })
    await service.server.inject({ method: 'POST', url: '/batch' })
    await expect(send()).rejects.toThrow()
    expect(take).not.toHaveBeenCalled()
  })

  test('that fails is a mistake of ours, told in one line', async () => {
    serve({ rateLimit: { take: () => Promise.reject(new Error('x')) } })
    const { short } = await send(create('a'), create('b'))
    expect(short).toEqual(['500 internal_error', '500 internal_error'])
    expect(service.log.lines).toHaveLength(1)
  })
})

describe('whoever runs the service', () => {
  test('finds a line for each code and batch, with the number of items', async () => {
    const faults: string[] = []
    serve({
      observer: { route: () => () => undefined, fault: (code) => void faults.push(code) },
      eventStore: failing(({ stream }) => {
        if (stream === 'entity-ok') return undefined
        if (stream === 'entity-bug') return new TypeError('planted')
        return stream === 'entity-busy'
          ? new Overloaded('x')
          : new OutcomeUnknown('no answer in time')
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
      line('internal_error', 1, expect.stringContaining('batch.test.')),
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
