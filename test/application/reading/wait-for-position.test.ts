import { setImmediate as immediate, setTimeout as after } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { pause } from '../../../src/adapters/system/clock-and-ids.js'
import type { LogHead } from '../../../src/application/facts/ports/fact-log.js'
import { Refusal, isRefused } from '../../../src/application/ports/refusal.js'
import { WaitForPosition } from '../../../src/application/reading/wait-for-position.js'

const at = (end: number): LogHead => ({ newest: end, end })

/** The time that a real leader may need to report the end of its log, in milliseconds. */
const leaderMs = 7

/** A read model that has applied the facts up to 100, and a store whose replies the test determines. */
class Waiting {
  applied = 100
  /** The number of requests for the head that the store has received. */
  requests = 0
  readonly wait: WaitForPosition

  constructor(head: (request: number) => Promise<LogHead>) {
    this.wait = new WaitForPosition({
      head: () => head((this.requests += 1)),
      isReached: (position) => position <= this.applied,
      applied: () => this.applied,
    })
  }

  until(position: number | 'head', waitMs: number): Promise<void> {
    return this.wait.until(position, performance.now() + waitMs)
  }

  apply(position: number): void {
    this.applied = position
    this.wait.reached(position)
  }
}

/**
 * Returns a store that reports these ends one after another, and the last one again and again. Each reply
 * takes a while.
 */
function storeThatSays(...heads: readonly (LogHead | 'away')[]) {
  return async (request: number): Promise<LogHead> => {
    const head = heads[Math.min(request, heads.length) - 1] ?? 'away'
    await after(leaderMs)
    if (head === 'away') throw new Refusal('store_unavailable', 'away')
    return head
  }
}

/** Returns a store that replies to the first request only. */
function answeringOnce(head: LogHead) {
  return (request: number) => (request === 1 ? Promise.resolve(head) : never())
}

const never = () => new Promise<never>(() => undefined)

const waits = [0, 1, 350]

describe('a position that is not applied', () => {
  it.each(waits)(
    'is refused with position_unknown when the store ends before it, however short the wait is: %i ms',
    async (waitMs) => {
      const wanted = new Waiting(storeThatSays(at(100))).until(200, waitMs)
      await expect(wanted).rejects.toMatchObject({ code: 'position_unknown' })
    },
  )

  it.each([
    ['was unavailable at first', storeThatSays('away', at(100))],
    ['is unavailable later', storeThatSays(at(100), 'away')],
    ['was unavailable at first and is unavailable later', storeThatSays('away', at(100), 'away')],
    ['does not respond later', answeringOnce(at(100))],
  ])(
    'is refused with position_unknown as soon as one reply shows it, when the store %s',
    async (_, head) => {
      const wanted = new Waiting(head).until(200, 350)
      await expect(wanted).rejects.toMatchObject({ code: 'position_unknown' })
    },
  )

  it.each([
    ['had a later end, and then reports an end before the position', [at(200), at(100)]],
    ['reports an end before the position, and then a later end', [at(100), at(200)]],
    ['has come so far, and then is away', [at(200), 'away']],
    ['has come so far', [at(200)]],
  ] satisfies [string, (LogHead | 'away')[]][])(
    'is never treated as applied when the store %s',
    async (_, heads) => {
      const wanted = new Waiting(storeThatSays(...heads)).until(200, 350)
      await expect(wanted).rejects.toMatchObject({ code: 'read_model_behind' })
    },
  )

  it.each([
    ['has reached it', storeThatSays(at(200))],
    ['is unavailable', storeThatSays('away')],
    ['does not respond', never],
  ])(
    'is not refused with position_unknown for a caller that does not wait, when the store %s',
    async (_, head) => {
      await expect(new Waiting(head).until(200, 0)).rejects.toMatchObject({
        code: 'read_model_behind',
      })
    },
  )

  it('is reached as soon as it is applied, even if the store does not respond', async () => {
    const asked = new AbortController()
    const waiting = new Waiting(() => {
      asked.abort()
      return never()
    })
    let isReached = false
    const wanted = waiting.until(200, 30_000).then(() => {
      isReached = true
    })
    await pause(30_000, asked.signal)
    waiting.apply(200)
    await immediate()
    expect(isReached).toBe(true)
    await wanted
  })

  it('is judged only by the reply to a request that began after the query arrived', async () => {
    let answer: (head: LogHead) => void = () => undefined
    const waiting = new Waiting((request) => {
      if (request > 1) return Promise.resolve(at(200))
      return new Promise((resolve) => {
        answer = resolve
      })
    })
    const early = waiting.until(200, 0)
    const late = waiting.until(200, 0)
    answer(at(100))
    await expect(early).rejects.toMatchObject({ code: 'position_unknown' })
    await expect(late).rejects.toMatchObject({ code: 'read_model_behind' })
  })
})

describe('thousands of waiting queries', () => {
  it.each(waits)('need only a few requests: after %i ms', async (waitMs) => {
    const waiting = new Waiting(storeThatSays(at(100)))
    const all = Array.from({ length: 3_000 }, () => waiting.until(200, waitMs))
    const outcomes = await Promise.allSettled(all)
    const unknown = outcomes.filter(
      (outcome) => outcome.status === 'rejected' && isRefused(outcome.reason, 'position_unknown'),
    )
    expect(unknown).toHaveLength(3_000)
    expect(waiting.requests).toBeLessThanOrEqual(6)
  })

  it('for the head need one request besides the running request', async () => {
    const waiting = new Waiting(storeThatSays(at(100)))
    await Promise.all(Array.from({ length: 3_000 }, () => waiting.until('head', 20_000)))
    expect(waiting.requests).toBe(2)
  })
})

describe('the head of the store', () => {
  it('is reached for a query that does not wait when it is applied', async () => {
    const wanted = new Waiting(storeThatSays(at(100))).until('head', 0)
    await expect(wanted).resolves.toBeUndefined()
  })

  it('is the position in the first reply', async () => {
    const waiting = new Waiting((request) => {
      void after(leaderMs).then(() => {
        waiting.apply(150)
      })
      return Promise.resolve(at(50 + 100 * request))
    })
    await expect(waiting.until('head', 20_000)).resolves.toBeUndefined()
  })

  it('is not reached when the store does not reply', async () => {
    const wanted = new Waiting(storeThatSays('away')).until('head', 150)
    await expect(wanted).rejects.toMatchObject({ code: 'read_model_behind' })
  })
})

it('all waiting queries are refused when no more facts will be applied', async () => {
  const waiting = new Waiting(never)
  const all = [waiting.until(200, 30_000), waiting.until('head', 30_000)]
  waiting.wait.giveUp()
  for (const one of [...all, waiting.until(200, 30_000)]) {
    await expect(one).rejects.toMatchObject({ code: 'read_model_behind' })
  }
  expect(waiting.wait.isEmpty).toBe(true)
})
