import { describe, expect, it } from '@jest/globals'
import { compareClocks, estimateOffset } from '../../../src/application/recording/clock-guard.js'

const date = Date.parse('2026-11-20T09:30:00.000Z')
const reply = (sentAt: number, receivedAt: number) => ({
  sentAt: date + sentAt,
  receivedAt: date + receivedAt,
  date,
})

describe('a reply', () => {
  it.each([
    // This process's clock lags the store's clock, so only the time of the arrival matters.
    ['apart', -4_000, -4_000],
    ['apart', -4_000, -3_001],
    ['nothing', -4_000, -3_000],
    ['nothing', -2_900, -2_900],
    ['nothing', -1_002, -1_002],
    ['together', -1_001, -1_001],
    ['together', 0, 0],
    // This process's clock is ahead, so only the time of the request matters.
    ['together', 3_000, 3_000],
    ['nothing', 3_000, 3_001],
    ['nothing', 4_999, 60_000],
    ['apart', 5_000, 5_000],
    ['apart', 5_000, 60_000],
    // A slow reply proves nothing.
    ['nothing', -60_000, 60_000],
  ] as const)(
    'proves %s: requested %i ms after its date, received %i ms after it',
    (proof, from, to) => {
      expect(compareClocks(reply(from, to))).toBe(proof)
    },
  )

  /** Returns the date of a reply as EventStoreDB 23.10 gives it: an instant in whole seconds, up to one second old. */
  const dateOf = (storeTime: number, renewedMs: number) =>
    Math.floor((storeTime - renewedMs) / 1_000) * 1_000

  const range = (from: number, to: number, step: number) =>
    Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step)
  const waits = [
    [0, 0],
    [3, 700],
    [700, 3],
  ] as const
  const cases = range(-7_000, 7_000, 197).flatMap((aheadMs) =>
    range(0, 999, 199).flatMap((phase) =>
      [0, 500, 999].flatMap((renewedMs) =>
        waits.map(([there, back]) => ({ aheadMs, made: date + phase, renewedMs, there, back })),
      ),
    ),
  )

  it('never proves anything false, whatever the fractions of both clocks are', () => {
    const proofs = new Set<string>()
    for (const { aheadMs, made, renewedMs, there, back } of cases) {
      const sentAt = made - there + aheadMs
      const receivedAt = made + back + aheadMs
      const proof = compareClocks({ sentAt, receivedAt, date: dateOf(made, renewedMs) })
      proofs.add(proof)
      if (proof === 'apart') expect(Math.abs(aheadMs)).toBeGreaterThan(3_000)
      if (proof === 'together') expect(Math.abs(aheadMs)).toBeLessThanOrEqual(3_000)
      // An immediate reply proves differences of 5 s and more, and proves agreement up to 1 s.
      if (there + back === 0 && Math.abs(aheadMs) >= 5_000) expect(proof).toBe('apart')
      if (there + back === 0 && Math.abs(aheadMs) <= 1_000) expect(proof).toBe('together')
    }
    expect([...proofs].sort()).toEqual(['apart', 'nothing', 'together'])
  })

  it('gives the offset with an error of at most one second', () => {
    for (const aheadMs of [-90_000, -2_000, 0, 2_000, 90_000])
      for (const renewedMs of [0, 999]) {
        const made = date + 444
        const at = made + aheadMs
        const offset = estimateOffset({
          sentAt: at,
          receivedAt: at,
          date: dateOf(made, renewedMs),
        })
        expect(Math.abs(offset - aheadMs)).toBeLessThanOrEqual(1_000)
      }
  })
})
