import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { RequestsASecond } from '../../../src/adapters/rate-limiter/requests-a-second.js'

describe('requests of a key in a second', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  async function takeMany(limit: RequestsASecond, keyId: string, times: number) {
    const taken: (number | undefined)[] = []
    for (let n = 0; n < times; n += 1) taken.push(await limit.take(keyId))
    return taken
  }

  test('pass up to the limit, at once or one by one', async () => {
    const limit = new RequestsASecond(3)
    expect(await takeMany(limit, 'a', 5)).toEqual([undefined, undefined, undefined, 1, 1])
    const other = await Promise.all(Array.from({ length: 5 }, () => limit.take('b')))
    expect(other).toEqual([undefined, undefined, undefined, 1, 1])
  })

  test('pass again after the seconds that were told, however many were refused', async () => {
    const limit = new RequestsASecond(2)
    await takeMany(limit, 'a', 2)
    jest.advanceTimersByTime(999)
    expect(await takeMany(limit, 'a', 50)).toEqual(Array.from({ length: 50 }, () => 1))
    jest.advanceTimersByTime(1_000)
    expect(await takeMany(limit, 'a', 3)).toEqual([undefined, undefined, 1])
  })

  test('of one key do not count for another', async () => {
    const limit = new RequestsASecond(1)
    await takeMany(limit, 'a', 1_000)
    expect(await takeMany(limit, 'b', 2)).toEqual([undefined, 1])
  })

  test('are forgotten when their second is over', async () => {
    const before = jest.getTimerCount()
    const limit = new RequestsASecond(1)
    for (let key = 0; key < 100; key += 1) await limit.take(String(key))
    expect(jest.getTimerCount()).toBe(before + 100)
    jest.advanceTimersByTime(1_000)
    expect(jest.getTimerCount()).toBe(before)
  })
})
