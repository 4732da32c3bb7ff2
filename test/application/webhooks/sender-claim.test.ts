import { beforeEach, describe, expect, it } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import type { ExactAppend, ExactReceipt } from '../../../src/application/ports/exact-appends.js'
import { Refusal, WrongRevision } from '../../../src/application/ports/refusal.js'
import { SenderClaim } from '../../../src/application/webhooks/sender-claim.js'
import {
  webhookProgressStream,
  type RecordedProgress,
} from '../../../src/domain/webhooks/webhook-facts.js'

const second = 1_000
let store: MemoryEventStore
let now: number

beforeEach(() => {
  store = new MemoryEventStore()
  now = 0
})

function claimOf(isShared = true): SenderClaim {
  return new SenderClaim({
    store,
    clock: { now: () => new Date(0) },
    ids: uuidGenerator,
    now: () => now,
    isShared,
  })
}

async function append(exact: ExactAppend): Promise<ExactReceipt | undefined> {
  try {
    return await store.appendAt(exact)
  } catch (error) {
    if (error instanceof WrongRevision) return undefined
    throw error
  }
}

/** Stores the facts and reports an unknown outcome. */
async function unknownAppend(exact: ExactAppend): Promise<ExactReceipt | undefined> {
  await append(exact)
  throw new Refusal('outcome_unknown')
}

const facts = () => store.read(webhookProgressStream).length
const delivered = (position: number): readonly RecordedProgress[] => [
  {
    webhook: 'mail',
    start: 'defined',
    position: String(position),
    fact: 'id',
    delivered: { at: new Date(position).toISOString(), status: 204 },
  },
]

describe('the claim to send, over a store of several processes', () => {
  it('is taken with a fact, by one of two processes that claim together', async () => {
    const claims = [claimOf(), claimOf()]
    await Promise.all(claims.map((claim) => claim.read()))
    const results = await Promise.all(claims.map((claim) => claim.claim(append)))
    expect(results.toSorted()).toEqual([false, true])
    expect([facts(), claims.filter((claim) => claim.isSender).length]).toEqual([1, 1])
  })

  it('ends 90 seconds after the begin of the last acknowledged append', async () => {
    const claim = claimOf()
    await claim.claim(append)
    now = 90 * second - 1
    expect(claim.isSender).toBe(true)
    now = 90 * second
    expect(claim.isSender).toBe(false)
  })

  it('is renewed with the progress: 5, 10, 20 and 40 seconds after the claim, and then once in 60 seconds', async () => {
    const claim = claimOf()
    await claim.claim(append)
    for (const [index, pause] of [5, 10, 20, 40, 60, 60].entries()) {
      now += pause * second - 1
      await claim.record(append, delivered(1))
      expect(facts()).toBe(index + 1)
      now += 1
      await claim.record(append, delivered(1))
      expect(facts()).toBe(index + 2)
    }
    now += 90 * second - 1
    expect(claim.isSender).toBe(true)
  })

  it('is free for others 150 seconds after they saw the last fact arrive, and not before', async () => {
    await claimOf().claim(append)
    const other = claimOf()
    now = 30 * second
    await other.read()
    now = 180 * second - 1
    expect(await other.claim(append)).toBe(false)
    now = 180 * second
    expect(await other.claim(append)).toBe(true)
  })

  it('passes to another process at once after a release, with the progress', async () => {
    const claim = claimOf()
    await claim.claim(append)
    await claim.release(append, delivered(5))
    expect(claim.isSender).toBe(false)
    const other = claimOf()
    expect(await other.claim(append)).toBe(true)
    expect(other.progress).toEqual(delivered(5))
  })

  it('is lost when another process has claimed', async () => {
    const claim = claimOf()
    await claim.claim(append)
    const other = claimOf()
    await other.read()
    now = 150 * second
    await other.claim(append)
    expect(await claim.record(append, [])).toBe(false)
  })

  it('is kept when the fact that was first is its own, whose outcome was unknown', async () => {
    const claim = claimOf()
    await claim.claim(append)
    now = 60 * second
    await expect(claim.record(unknownAppend, delivered(1))).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    expect(await claim.record(append, delivered(2))).toBe(true)
    // The append that was not acknowledged does not prolong the claim.
    now = 90 * second
    expect(claim.isSender).toBe(false)
  })
})

describe('the claim to send, over a store of one process', () => {
  it('is taken at once and stores nothing', async () => {
    const claim = claimOf(false)
    expect(await claim.claim(append)).toBe(true)
    now = 1_000 * second
    expect([claim.isSender, facts()]).toEqual([true, 0])
  })

  it('stores progress when something was delivered, and not when a cursor only skipped facts', async () => {
    const claim = claimOf(false)
    await claim.claim(append)
    now = 60 * second
    await claim.record(append, delivered(1))
    const [{ delivered: last, ...progress } = { delivered: undefined }] = delivered(1)
    const skipped = { ...progress, position: '900', delivered: last } as RecordedProgress
    now = 120 * second
    await claim.record(append, [skipped])
    await claim.release(append, [skipped])
    expect(facts()).toBe(1)
  })
})
