import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { ClockGuard } from '../../../src/application/recording/clock-guard.js'
import { LogLines } from '../../support/log-lines.js'
import { ManualPause } from '../../support/manual-pause.js'

const now = Date.parse('2026-11-20T09:30:00.000Z')

let log: LogLines
let pauses: ManualPause
let guard: ClockGuard
/** The lead of the store's clock in milliseconds, or undefined when the store does not reply. */
let storeAhead: number | undefined
/** The duration of a reply, in milliseconds. */
let replyMs: number
/** The time that has passed on this process's clock, in milliseconds. */
let passed: number

beforeEach(() => {
  log = new LogLines()
  pauses = new ManualPause()
  passed = 0
  replyMs = 0
  guard = new ClockGuard(
    {
      dateOfReply: () => {
        passed += replyMs
        return storeAhead === undefined
          ? Promise.reject(new Error('away'))
          : Promise.resolve(now + storeAhead)
      },
    },
    { clock: { now: () => new Date(now + passed) }, log, pause: pauses.pause },
  )
})
afterEach(() => guard.stop())

async function startWith(ahead: number | undefined): Promise<boolean> {
  storeAhead = ahead
  await guard.start()
  return guard.isTrusted
}

async function compareWith(ahead: number | undefined): Promise<boolean> {
  storeAhead = ahead
  await pauses.pass()
  return guard.isTrusted
}

describe('the clock is compared with the clock of the store', () => {
  it.each([
    ['clocks that agree', 0, true],
    ['2.9 s behind', 2_900, true],
    ['4 s behind', 4_000, false],
    ['2.9 s ahead', -2_900, true],
    ['6 s ahead', -6_000, false],
  ])('at the start: %s', async (_, ahead, trusted) => {
    expect(await startWith(ahead)).toBe(trusted)
  })

  it('every ten seconds: one bad reply ends the trust, and three good replies restore it', async () => {
    expect(await startWith(0)).toBe(true)
    expect(await compareWith(4_000)).toBe(false)
    expect(await compareWith(0)).toBe(false)
    expect(await compareWith(0)).toBe(false)
    expect(await compareWith(0)).toBe(true)
    expect(pauses.lengths).toEqual([10_000, 10_000, 10_000, 10_000, 10_000])
    expect(log.lines).toEqual([
      {
        level: 'error',
        details: { secondsAhead: -5, allowedSeconds: 3 },
        message: expect.stringMatching(/^writes are refused: .*NTP/),
      },
      { level: 'info', details: {}, message: expect.stringContaining('writes are accepted') },
    ])
  })

  it('with one line in the application log until three consecutive good replies', async () => {
    await startWith(-60_000)
    expect(await compareWith(0)).toBe(false)
    expect(await compareWith(0)).toBe(false)
    expect(await compareWith(-60_000)).toBe(false)
    expect(await compareWith(0)).toBe(false)
    expect(await compareWith(0)).toBe(false)
    expect(log.lines).toHaveLength(1)
    expect(await compareWith(0)).toBe(true)
  })

  it('so that good replies before a bad reply do not count', async () => {
    await startWith(0)
    for (let n = 0; n < 5; n += 1) await compareWith(0)
    expect(await compareWith(60_000)).toBe(false)
    expect(await compareWith(0)).toBe(false)
  })
})

describe('a reply that proves nothing changes nothing:', () => {
  it.each([
    ['no reply', undefined, 0],
    ['a slow reply', 4_000, 2_000],
    ['a reply that allows both results', 2_900, 0],
  ])('%s, for a trusted clock', async (_, ahead, tookMs) => {
    await startWith(0)
    replyMs = tookMs
    expect(await compareWith(ahead)).toBe(true)
    expect(log.lines).toEqual([])
  })

  it.each([
    ['no reply', undefined, 0],
    ['a slow reply', 0, 5_000],
    ['a reply that allows both results', 2_900, 0],
  ])('%s, for a distrusted clock', async (_, ahead, tookMs) => {
    await startWith(60_000)
    await compareWith(0)
    await compareWith(0)
    replyMs = tookMs
    expect(await compareWith(ahead)).toBe(false)
    replyMs = 0
  })

  it('at the start, while the store is unavailable', async () => {
    expect(await startWith(undefined)).toBe(true)
    expect(guard.offset).toBeUndefined()
    expect(await compareWith(60_000)).toBe(false)
  })
})

describe('a clock that jumps between two comparisons', () => {
  const hour = 3_600_000

  it.each([
    ['forward', hour],
    ['back', -hour],
  ])('%s is not trusted until the next comparison, which starts at once', async (_, jumpMs) => {
    await startWith(0)
    passed += jumpMs
    storeAhead = jumpMs
    expect(guard.isTrusted).toBe(false)
    await immediate()
    expect([guard.isTrusted, pauses.lengths, log.lines]).toEqual([true, [10_000, 10_000], []])
  })

  it("far away from the store's clock makes every write fail", async () => {
    await startWith(0)
    passed += hour
    expect(guard.isTrusted).toBe(false)
    await immediate()
    expect([guard.isTrusted, log.lines.length]).toEqual([false, 1])
  })

  it('is trusted as before when the store does not reply', async () => {
    await startWith(0)
    passed += hour
    storeAhead = undefined
    expect(guard.isTrusted).toBe(false)
    await immediate()
    expect(guard.isTrusted).toBe(true)
  })

  it('is not assumed while a comparison may still be running', async () => {
    await startWith(0)
    passed += 13_000
    expect(guard.isTrusted).toBe(true)
  })
})

it("the guard reports the lead of this process's clock", async () => {
  await startWith(-1_000)
  expect(guard.offset).toBeCloseTo(0, -1)
  await compareWith(-61_000)
  expect(guard.offset).toBeCloseTo(60_000, -1)
  await compareWith(undefined)
  expect(guard.offset).toBeCloseTo(60_000, -1)
})

it('a stopped guard sends no more requests', async () => {
  await startWith(0)
  await guard.stop()
  expect(pauses.lengths).toEqual([10_000])
})
