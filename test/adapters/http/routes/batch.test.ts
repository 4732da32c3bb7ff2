import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { RequestsASecond } from '../../../../src/adapters/rate-limiter/requests-a-second.js'
import { create, postBatch, record, update } from '../../../support/batch.js'
import { expectFault } from '../../../support/fault-expectation.js'
import { httpService, type HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'

let service: HttpService
const serve = (...parts: Parameters<typeof httpService>) => (service = httpService(...parts))
afterEach(() => service.server.close())

const send = (...items: readonly unknown[]) => postBatch(service.server, items)
const types = (id: string) => service.store.read(`entity-${id}`).map(({ type }) => type)

describe('a batch whose items are all stored', () => {
  test('returns 200, with the reply of each item in order', async () => {
    serve()
    const { status, short, counts, headers } = await send(
      create('ada', { properties: { a: 1 } }),
      record('ada', { properties: { b: 2 } }),
      update('ada', { set: { a: 2 }, unset: ['z'] }),
      update('new', { set: { c: 3 }, upsert: true }),
      create('bob'),
    )
    expect(status).toBe(200)
    expect(counts).toEqual({ stored: 5, replayed: 0, refused: 0, unknown: 0 })
    expect(short).toEqual(['201', '201', '200', '201', '201'])
    expect(headers['position']).toBe('5')
    expect(headers['retry-after']).toBeUndefined()
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(types('ada')).toEqual(['EntityCreated', 'EventRecorded', 'EntityPropertiesChanged'])
  })

  test('stores the Request-Id of the batch with each fact', async () => {
    serve()
    const { headers } = await postBatch(service.server, [create('ada'), record('ada')], {
      'request-id': 'of-the-batch',
    })
    expect(headers['request-id']).toBe('of-the-batch')
    for (const { metadata } of service.store.read('entity-ada')) {
      expect(JSON.parse(metadata)).toMatchObject({ $correlationId: 'of-the-batch' })
    }
  })
})

test('accepts idempotency keys that single requests used, and the reverse', async () => {
  serve()
  await post(service.server, '/entities', { external_id: 'ada' }, { 'idempotency-key': 'k' })
  const { short, counts } = await send(
    create('ada', { idempotency_key: 'k' }),
    record('ada', { idempotency_key: 'k' }),
    update('ada', { set: { a: 1 }, idempotency_key: 'k' }),
  )
  expect(short).toEqual(['201 replayed', '201', '200'])
  expect(counts).toEqual({ stored: 2, replayed: 1, refused: 0, unknown: 0 })
  const event = { entity_external_id: 'ada', name: 'login' }
  const replies = [
    await post(service.server, '/events', event, { 'idempotency-key': 'k' }),
    await patch(service.server, 'ada', { set: { a: 1 } }, { 'idempotency-key': 'k' }),
  ]
  expect(replies.map(({ headers }) => headers['idempotency-replayed'])).toEqual(['true', 'true'])
  expect(types('ada')).toHaveLength(3)
})

test("returns the numerically highest Position, which may not be the last item's", async () => {
  const positions = ['99999999999999999998', '9', '100000000000000000000', '88']
  let turn = 0
  serve({
    reads: false,
    eventStore: () => ({
      append: ({ facts }) =>
        Promise.resolve({ position: positions[(turn += 1) - 1] ?? '', facts, replayed: false }),
    }),
  })
  const { headers } = await send(create('a'), create('b'), create('c'), create('d'))
  expect(headers['position']).toBe('100000000000000000000')
})

test('a batch without a stored item returns 207 without a Position', async () => {
  serve()
  const { status, counts, headers } = await send(record('nobody'), { op: 'x' })
  expect(status).toBe(207)
  expect(counts).toEqual({ stored: 0, replayed: 0, refused: 2, unknown: 0 })
  expect('position' in headers).toBe(false)
  expect(service.log.lines).toEqual([])
})

describe('a limit of requests', () => {
  test('counts all items of a batch together', async () => {
    const taken: [string, number][] = []
    serve({
      rateLimit: {
        take: (keyId, requests = 1) => {
          taken.push([keyId, requests])
          return Promise.resolve(undefined)
        },
      },
    })
    const { short } = await send(create('a'), { op: 'x' }, record('a'))
    expect(short).toEqual(['201', '422 validation_failed', '201'])
    expect(taken.filter(([, requests]) => requests > 0)).toEqual([['w', 3]])
  })

  test('refuses a batch as a whole', async () => {
    serve({
      rateLimit: { take: (_id, requests = 1) => Promise.resolve(requests > 1 ? 5 : undefined) },
    })
    const reply = await post(service.server, '/batch', { items: [create('a'), create('b')] })
    expectFault(reply, 429, 'rate_limited')
    expect(reply.headers['retry-after']).toBe('5')
    expect(types('a')).toEqual([])
  })

  test('refuses a batch before its body is read while the key is in debt', async () => {
    serve({ rateLimit: { take: () => Promise.resolve(2) } })
    const reply = await post(service.server, '/batch', 'no JSON')
    expectFault(reply, 429, 'rate_limited')
  })

  test('admits a batch above the limit, and its repeat after the debt is paid', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] })
    try {
      serve({ rateLimit: new RequestsASecond(60) })
      const items = [
        create('ada', { idempotency_key: 'k' }),
        ...Array.from({ length: 149 }, (_, n) =>
          record('ada', { idempotency_key: `k${String(n)}` }),
        ),
      ]
      expect((await send(...items)).counts).toMatchObject({ stored: 150 })
      const refused = await post(service.server, '/batch', { items })
      expectFault(refused, 429, 'rate_limited')
      expectFault(await post(service.server, '/entities', create('b')), 429, 'rate_limited')
      jest.advanceTimersByTime(1_000 * Number(refused.headers['retry-after']))
      expect((await send(...items)).counts).toMatchObject({ replayed: 150, refused: 0 })
    } finally {
      jest.useRealTimers()
    }
  })

  test('admits one of many concurrent large batches, and no single request until the debt is paid', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance'] })
    try {
      serve({ rateLimit: new RequestsASecond(60) })
      const batches = Array.from({ length: 20 }, (_, n) => ({
        items: Array.from({ length: 600 }, (_item, m) => create(`${String(n)}-${String(m)}`)),
      }))
      const replies = await Promise.all(batches.map((body) => post(service.server, '/batch', body)))
      const refused = replies.filter(({ statusCode }) => statusCode !== 200)
      expect(refused).toHaveLength(19)
      for (const reply of refused) {
        expectFault(reply, 429, 'rate_limited')
        expect(reply.headers['retry-after']).toBe('10')
      }
      jest.advanceTimersByTime(9_999)
      expectFault(await post(service.server, '/entities', create('b')), 429, 'rate_limited')
      jest.advanceTimersByTime(1)
      expect((await post(service.server, '/events', { upsert: true })).statusCode).toBe(422)
    } finally {
      jest.useRealTimers()
    }
  })

  test('does not count a batch that is refused as a whole', async () => {
    const counted: number[] = []
    const take = (_id: string, requests = 1) => {
      counted.push(requests)
      return Promise.resolve(undefined)
    }
    serve({ rateLimit: { take } })
    await service.server.inject({ method: 'POST', url: '/batch' })
    await expect(send()).rejects.toThrow()
    expect(counted.filter((requests) => requests > 0)).toEqual([])
  })

  test('that fails is an internal error with one log line', async () => {
    serve({ rateLimit: { take: () => Promise.reject(new Error('x')) } })
    const reply = await post(service.server, '/batch', { items: [create('a'), create('b')] })
    expectFault(reply, 500, 'internal_error')
    expect(service.log.lines).toHaveLength(1)
  })
})
