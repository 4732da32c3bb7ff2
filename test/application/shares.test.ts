import { setImmediate as immediate } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { Cancellation } from '../../src/application/ports/cancellation.js'
import { Overloaded } from '../../src/application/ports/store-errors.js'
import { Shares } from '../../src/application/shares.js'

const patience = { waitMs: 60_000 }

/** Takes permits for owners, and says in which order they had them. */
function taking(shares: Shares) {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const refusals: unknown[] = []
  const take = async (owner: string, cancellation?: Cancellation) => {
    try {
      const end = await shares.take(owner, { ...patience, cancellation })
      begun.push(owner)
      ends.push(end)
    } catch (error) {
      refusals.push(error)
    }
  }
  return { begun, ends, refusals, take }
}

describe('shares', () => {
  it('let in as many as there are permits, and of one owner fewer', async () => {
    const { begun, take } = taking(new Shares({ most: 3, mostOfOne: 2, queued: 10 }))
    for (const owner of ['a', 'a', 'a', 'b', 'b']) void take(owner)
    await immediate()
    expect(begun).toEqual(['a', 'a', 'b'])
  })

  it('serve owners who wait round-robin, however many requests one has', async () => {
    const { begun, ends, take } = taking(new Shares({ most: 1, mostOfOne: 1, queued: 100 }))
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

  it('refuse whoever would wait behind too many, and keep room for other owners', async () => {
    const shares = new Shares({ most: 1, mostOfOne: 1, queued: 4 })
    const { refusals, take } = taking(shares)
    for (let n = 0; n < 4; n += 1) void take('hostile')
    await immediate()
    expect(refusals).toEqual([expect.any(Overloaded)])
    void take('b')
    await immediate()
    expect([refusals.length, shares.waiting]).toEqual([1, 3])
  })

  it('forget whoever waits no more', async () => {
    const shares = new Shares({ most: 1, mostOfOne: 1, queued: 4 })
    const { begun, ends, refusals, take } = taking(shares)
    void take('a')
    const gone = new Cancellation()
    void take('b', gone)
    void take('c')
    await immediate()
    gone.cancel()
    await immediate()
    expect([refusals, shares.waiting]).toEqual([[expect.any(Overloaded)], 1])
    ends.shift()?.()
    await immediate()
    expect(begun).toEqual(['a', 'c'])
  })

  it('refuse whoever has waited as long as it would', async () => {
    const shares = new Shares({ most: 1, mostOfOne: 1, queued: 4 })
    const end = await shares.take('a', patience)
    await expect(shares.take('b', { waitMs: 1 })).rejects.toThrow(Overloaded)
    expect(shares.waiting).toBe(0)
    end()
    expect(shares.taken).toBe(0)
  })
})
