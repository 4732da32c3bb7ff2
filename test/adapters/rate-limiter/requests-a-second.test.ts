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

  test('that come many at once are let in while one more may pass, and their debt is paid first', async () => {
    const limit = new RequestsASecond(60)
    expect(await takeMany(limit, 'a', 59)).toEqual(Array.from({ length: 59 }, () => undefined))
    expect(await limit.take('a', 91)).toBeUndefined()
    // 150 of 60 a second: until 2.5 s after the first.
    expect([await limit.take('a', 150), await limit.take('a')]).toEqual([3, 3])
    jest.advanceTimersByTime(2_499)
    expect(await limit.take('a', 0)).toBe(1)
    expect(await limit.take('b', 1_000)).toBeUndefined()
    jest.advanceTimersByTime(1)
    expect(await limit.take('a', 150)).toBeUndefined()
    expect(await limit.take('a')).toBe(3)
  })

  test('that fill the second exactly leave no debt, and what comes next waits for the next second', async () => {
    const limit = new RequestsASecond(3)
    expect(await limit.take('a', 3)).toBeUndefined()
    expect([await limit.take('a', 0), await limit.take('a'), await limit.take('a', 3)]).toEqual([
      1, 1, 1,
    ])
    jest.advanceTimersByTime(1_000)
    expect(await limit.take('a', 3)).toBeUndefined()
  })

  test('that come many times many at once make one debt, and all others wait until it is paid', async () => {
    const limit = new RequestsASecond(60)
    const batches = Array.from({ length: 50 }, () => limit.take('a', 600))
    expect(await Promise.all(batches)).toEqual([undefined, ...Array<number>(49).fill(10)])
    jest.advanceTimersByTime(9_999)
    expect(await limit.take('a')).toBe(1)
    jest.advanceTimersByTime(1)
    expect(await limit.take('a')).toBeUndefined()
  })

  test('none at all pass while one may, and are not counted', async () => {
    const limit = new RequestsASecond(2)
    for (let n = 0; n < 5; n += 1) expect(await limit.take('a', 0)).toBeUndefined()
    expect(await takeMany(limit, 'a', 3)).toEqual([undefined, undefined, 1])
    expect(await limit.take('a', 0)).toBe(1)
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
