import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { RateLimit } from '../../../src/adapters/http/rate-limit.js'
import { requestsASecond } from '../../../src/adapters/http/requests-a-second.js'
import { expectFault, shownFault } from '../../support/fault-expectation.js'
import { httpService, listeningService, readKey } from '../../support/http-service.js'
import { post } from '../../support/post.js'
import { RawConnection } from '../../support/raw-connection.js'
import { rawPost } from '../../support/raw-request.js'

describe('requests of a key in a second', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  async function takeMany(limit: RateLimit, keyId: string, times: number) {
    const taken: (number | undefined)[] = []
    for (let n = 0; n < times; n += 1) taken.push(await limit.take(keyId))
    return taken
  }

  test('pass up to the limit, at once or one by one', async () => {
    const limit = requestsASecond(3)
    expect(await takeMany(limit, 'a', 5)).toEqual([undefined, undefined, undefined, 1, 1])
    const other = await Promise.all(Array.from({ length: 5 }, () => limit.take('b')))
    expect(other).toEqual([undefined, undefined, undefined, 1, 1])
  })

  test('pass again after the seconds that were told, however many were refused', async () => {
    const limit = requestsASecond(2)
    await takeMany(limit, 'a', 2)
    jest.advanceTimersByTime(999)
    expect(await takeMany(limit, 'a', 50)).toEqual(Array.from({ length: 50 }, () => 1))
    jest.advanceTimersByTime(1_000)
    expect(await takeMany(limit, 'a', 3)).toEqual([undefined, undefined, 1])
  })

  test('of one key do not count for another', async () => {
    const limit = requestsASecond(1)
    await takeMany(limit, 'a', 1_000)
    expect(await takeMany(limit, 'b', 2)).toEqual([undefined, 1])
  })

  test('are forgotten when their second is over', async () => {
    const before = jest.getTimerCount()
    const limit = requestsASecond(1)
    for (let key = 0; key < 100; key += 1) await limit.take(String(key))
    expect(jest.getTimerCount()).toBe(before + 100)
    jest.advanceTimersByTime(1_000)
    expect(jest.getTimerCount()).toBe(before)
  })
})

const ada = { external_id: 'ada' }

describe('a key that asks too often', () => {
  test('is told so, and when to come again', async () => {
    const asked: string[] = []
    const take = (keyId: string) => {
      asked.push(keyId)
      return Promise.resolve(2)
    }
    const service = httpService({ rateLimit: { take } })
    const reply = await post(service.server, '/entities', ada)
    const fault = expectFault(reply, 429, 'rate_limited')
    expect(fault.message).toMatch(/Nothing was stored/)
    expect(reply.headers['retry-after']).toBe('2')
    const keyed = await post(service.server, '/entities', ada, { 'idempotency-key': 'k' })
    expect(expectFault(keyed, 429, 'rate_limited').message).toMatch(
      /an earlier one .* may be stored/,
    )
    expect(asked).toEqual(['w', 'w'])
    expect(service.store.read('entity-ada')).toEqual([])
    expect(service.log.lines).toEqual([])
    await service.server.close()
  })

  test('has its connection still, and other keys their turn', async () => {
    let limited = true
    const service = await listeningService({
      rateLimit: { take: (id) => Promise.resolve(limited && id === 'w' ? 1 : undefined) },
    })
    const connection = await RawConnection.open(service.port)
    connection.send(
      rawPost('/entities', JSON.stringify({ ...ada, properties: { a: 'x'.repeat(5_000) } })),
    )
    const refused = await connection.reply()
    expect([refused.status, shownFault(refused.body).code]).toEqual([429, 'rate_limited'])
    expect(refused.headers['connection']).not.toBe('close')
    const other = await post(service.server, '/entities', ada, {
      authorization: `Bearer ${readKey}`,
    })
    expectFault(other, 403, 'forbidden')
    limited = false
    connection.send(rawPost('/entities', JSON.stringify(ada)))
    expect((await connection.reply()).status).toBe(201)
    connection.cut()
    await service.server.close()
  })

  test('may ask what needs no key, and an unknown key is not counted', async () => {
    const take = () => Promise.reject(new Error('counted'))
    const { server } = httpService({ rateLimit: { take } })
    for (const url of ['/health/live', '/health/ready', '/openapi.json', '/metrics']) {
      expect((await server.inject(url)).statusCode).toBe(200)
    }
    const unknown = await post(server, '/entities', ada, { authorization: 'Bearer unknown' })
    expectFault(unknown, 401, 'unauthenticated')
    await server.close()
  })

  test('a limit that fails is a mistake of ours', async () => {
    const { server, log } = httpService({
      rateLimit: { take: () => Promise.reject(new Error('x')) },
    })
    expectFault(await post(server, '/entities', ada), 500, 'internal_error')
    expect(log.lines).toHaveLength(1)
    await server.close()
  })
})
