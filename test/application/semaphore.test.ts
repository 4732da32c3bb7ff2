import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { Cancellation } from '../../src/application/ports/cancellation.js'
import { Semaphore, type Release } from '../../src/application/semaphore.js'

const patience = { waitMs: 60_000 }

/** Takes permits for owners, and lists the owners in the order of their permits. */
function taking(semaphore: Semaphore) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const refusals: unknown[] = []
  const take = async (owner: string, cancellation?: Cancellation) => {
    try {
      const end = await semaphore.take(owner, { ...patience, cancellation })
      begun.push(owner)
      ends.push(end)
    } catch (error) {
      refusals.push(error)
    }
  }
  return { begun, ends, refusals, take }
}

describe('a semaphore', () => {
  it('admits as many requests as there is room for, and fewer requests of one owner', async () => {
    const { begun, take } = taking(new Semaphore({ most: 3, mostOfOne: 2, queued: 10 }))
    for (const owner of ['a', 'a', 'a', 'b', 'b']) void take(owner)
    await immediate()
    expect(begun).toEqual(['a', 'a', 'b'])
  })

  it('serves waiting owners round-robin, however many requests one owner has', async () => {
    const { begun, ends, take } = taking(new Semaphore({ most: 1, mostOfOne: 1, queued: 100 }))
    for (let n = 0; n < 20; n += 1) void take('hostile')
    void take('b')
    void take('c')
    await immediate()
    for (let n = 0; n < 4; n += 1) {
      ends.shift()?.()
      await immediate()
    }
    expect(begun).toEqual(['hostile', 'hostile', 'b', 'c', 'hostile'])
  })

  it('refuses a request when too many requests of its owner wait, and keeps room for other owners', async () => {
    const semaphore = new Semaphore({ most: 1, mostOfOne: 1, queued: 4 })
    const { refusals, take } = taking(semaphore)
    for (let n = 0; n < 4; n += 1) void take('hostile')
    await immediate()
    expect(refusals).toEqual([expect.objectContaining({ code: 'overloaded' })])
    void take('b')
    await immediate()
    expect([refusals.length, semaphore.waiting]).toEqual([1, 3])
  })

  it('forgets a request that no longer waits', async () => {
    const semaphore = new Semaphore({ most: 1, mostOfOne: 1, queued: 4 })
    const { begun, ends, refusals, take } = taking(semaphore)
    void take('a')
    const gone = new Cancellation()
    void take('b', gone)
    void take('c')
    await immediate()
    gone.cancel()
    await immediate()
    expect([refusals, semaphore.waiting]).toEqual([
      [expect.objectContaining({ code: 'overloaded' })],
      1,
    ])
    ends.shift()?.()
    await immediate()
    expect(begun).toEqual(['a', 'c'])
  })

  it('refuses a request that has waited for its whole time limit', async () => {
    const semaphore = new Semaphore({ most: 1, mostOfOne: 1, queued: 4 })
    const end = await semaphore.take('a', patience)
    await expect(semaphore.take('b', { waitMs: 1 })).rejects.toMatchObject({ code: 'overloaded' })
    expect(semaphore.waiting).toBe(0)
    end()
    expect(semaphore.tryTake('b', 1)).toBeDefined()
  })

  it('admits a request whose weight fits, and later requests when there is room, in order of arrival', async () => {
    const { begun, take } = weighing(new Semaphore({ most: 10, queued: 10 }))
    const [, b] = [take('a', 6), take('b', 4), take('c', 5), take('d', 1)]
    await immediate()
    expect(begun).toEqual(['a', 'b'])
    ;(await b)()
    await immediate()
    expect(begun).toEqual(['a', 'b'])
  })

  it('admits several waiting requests when one release makes room for them', async () => {
    const { begun, take } = weighing(new Semaphore({ most: 10, queued: 10 }))
    const first = take('a', 10)
    void take('b', 6)
    void take('c', 4)
    void take('d', 1)
    ;(await first)()
    await immediate()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  it('admits an oversized request when no weight is taken', async () => {
    const semaphore = new Semaphore({ most: 10, mostOfOne: 5, queued: 10 })
    const { begun, take } = weighing(semaphore)
    const small = take('small', 1)
    void take('heavy', 11)
    await immediate()
    expect(begun).toEqual(['small'])
    expect(semaphore.tryTake('other', 10)).toBeUndefined()
    ;(await small)()
    await immediate()
    expect(begun).toEqual(['small', 'heavy'])
  })

  it('admits a request that fits when the request before it has reached its time limit', async () => {
    const semaphore = new Semaphore({ most: 10, queued: 10 })
    const { begun, take } = weighing(semaphore)
    void take('a', 6)
    const late = semaphore.take('', { weight: 5, waitMs: 1 })
    const small = take('small', 4)
    await expect(late).rejects.toMatchObject({ code: 'overloaded' })
    await small
    expect(begun).toEqual(['a', 'small'])
  })

  it('runs work whose wait has reached its limit without counting it, and releases the weight of failed work', async () => {
    const semaphore = new Semaphore({ most: 10, queued: 10 })
    const release = await semaphore.take('', { weight: 10, waitMs: Infinity })
    expect(await semaphore.run('', { weight: 10, waitMs: 1 }, () => Promise.resolve('late'))).toBe(
      'late',
    )
    expect(semaphore.tryTake('', 1)).toBeUndefined()
    release()
    const failed = semaphore.run('', { weight: 10, waitMs: 1_000 }, () =>
      Promise.reject(new Error('no')),
    )
    await expect(failed).rejects.toThrow('no')
    expect(semaphore.tryTake('', 10)).toBeDefined()
  })
})

/** Takes weights for one owner, and lists them in the order in which there was room. */
function weighing(semaphore: Semaphore) {
  const begun: string[] = []
  const take = async (name: string, weight: number): Promise<Release> => {
    const release = await semaphore.take('', { weight, waitMs: Infinity })
    begun.push(name)
    return release
  }
  return { begun, take }
}
