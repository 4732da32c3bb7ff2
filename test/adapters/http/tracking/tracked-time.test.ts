import { describe, expect, test } from '@jest/globals'
import { trackedTime } from '../../../../src/adapters/http/tracking/tracked-time.js'
import type { Json } from '../../../../src/domain/json.js'

const receipt = new Date('2026-11-20T09:30:00.000Z')
const later = (ms: number) => new Date(receipt.getTime() + ms)

/** Returns the time of the event. `no time`: the sent time is invalid, so the time of receipt is used. */
function told(stamp: Json | undefined, sentAt?: Date) {
  const { at, replacedFor } = trackedTime(stamp, sentAt, receipt)
  return replacedFor === 'not_a_time' ? 'no time' : (at?.toISOString() ?? 'none')
}

const read = (at: Date) => ({ at, replacedFor: undefined, unreadable: undefined })

describe('the time of an event', () => {
  test.each<[Json | undefined, string]>([
    [undefined, 'none'],
    [null, 'none'],
    ['2026-11-20T09:00:00Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T10:00:00.123456789+01:00', '2026-11-20T09:00:00.123Z'],
    ['2026-11-19', '2026-11-19T00:00:00.000Z'],
    ['2026-02-30', 'no time'],
    [1_700_000_000, '2023-11-14T22:13:20.000Z'],
    [1_700_000_000_000, '2023-11-14T22:13:20.000Z'],
    [1_700_000_000.5, '2023-11-14T22:13:20.500Z'],
    [0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
    ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000Z'],
    ['1899-12-31T23:59:59Z', 'no time'],
    [-2_208_988_801, 'no time'],
    ['', 'none'],
    ['yesterday', 'no time'],
    ['2026-11-20T09:00:00', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T17:00:00+0800', '2026-11-20T09:00:00.000Z'],
    ['1732093200000', 'no time'],
    [1e300, 'no time'],
    [true, 'no time'],
    [{}, 'no time'],
    [['2026-11-20'], 'no time'],
  ])('%j means %s', (stamp, expected) => {
    expect(told(stamp)).toBe(expected)
  })

  test.each<[string, number, number, number]>([
    ['ahead within the tolerance is not corrected', 10_000, -60_000, -60_000],
    ['further ahead is corrected', 10_001, -60_000, -70_001],
    ['late by no more than a retry is not corrected', -300_000, -360_000, -360_000],
    ['later is corrected', -300_001, -360_000, -59_999],
    ['in 1970 is corrected', -1_795_000_000_000, -1_795_000_060_000, -60_000],
    ['in 2038 is corrected', 353_000_000_000, 352_999_940_000, -60_000],
  ])('of a device whose clock is %s', (_what, sentMs, stampMs, expectedMs) => {
    const time = trackedTime(later(stampMs).toISOString(), later(sentMs), receipt)
    expect(time).toEqual(read(later(expectedMs)))
  })

  test('is the time of receipt when it would be later, and this is reported', () => {
    const clipped = { at: receipt, replacedFor: 'after_receipt', unreadable: undefined }
    expect(trackedTime('2027-01-01', undefined, receipt)).toEqual(clipped)
    expect(trackedTime(later(1).toISOString(), later(9_000), receipt)).toEqual(clipped)
    expect(trackedTime(later(20_001).toISOString(), later(20_000), receipt)).toEqual(clipped)
    expect(trackedTime(receipt.toISOString(), undefined, receipt)).toEqual(read(receipt))
  })

  test('is not moved before 1900 by the correction', () => {
    expect(told('2026-11-20T09:00:00Z', new Date('2200-01-01T00:00:00Z'))).toBe('no time')
  })

  test.each<[Json, string | undefined]>([
    ['yesterday', 'yesterday'],
    ['1899-12-31T23:59:59Z', '1899-12-31T23:59:59Z'],
    [1e300, '1e+300'],
    [true, 'true'],
    ['\ud800', '\ufffd'],
    ['x'.repeat(300), 'x'.repeat(255)],
    [{}, undefined],
    [['2026-11-20'], undefined],
  ])(
    'is the time of receipt when %j is not a valid time, and its text is stored',
    (stamp, text) => {
      const expected = { at: receipt, replacedFor: 'not_a_time', unreadable: text }
      expect(trackedTime(stamp, undefined, receipt)).toEqual(expected)
    },
  )
})
