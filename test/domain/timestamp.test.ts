import { expect, it } from '@jest/globals'
import { timestampOf } from '../../src/domain/timestamp.js'

it('tells a time in UTC with milliseconds, the same one as often as it is asked', () => {
  const times = [0, 1_763_717_400_000, 1_763_717_400_000, 1_763_717_400_001, 0]
  expect(times.map((time) => timestampOf(new Date(time)))).toEqual([
    '1970-01-01T00:00:00.000Z',
    '2025-11-21T09:30:00.000Z',
    '2025-11-21T09:30:00.000Z',
    '2025-11-21T09:30:00.001Z',
    '1970-01-01T00:00:00.000Z',
  ])
})

it('refuses a date that is none', () => {
  expect(() => timestampOf(new Date(Number.NaN))).toThrow(RangeError)
})
