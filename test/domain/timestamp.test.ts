import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { epochMsOf, timestampOf } from '../../src/domain/timestamp.js'
import { quickOrThorough } from '../support/thoroughness.js'

it('a timestamp is UTC with milliseconds, and equal for every call', () => {
  const times = [0, 1_763_717_400_000, 1_763_717_400_000, 1_763_717_400_001, 0]
  expect(times.map((time) => timestampOf(new Date(time)))).toEqual([
    '1970-01-01T00:00:00.000Z',
    '2025-11-21T09:30:00.000Z',
    '2025-11-21T09:30:00.000Z',
    '2025-11-21T09:30:00.001Z',
    '1970-01-01T00:00:00.000Z',
  ])
})

it('an invalid date throws', () => {
  expect(() => timestampOf(new Date(Number.NaN))).toThrow(RangeError)
})

const year0 = Date.parse('0000-01-01T00:00:00.000Z')
const year9999 = Date.parse('9999-12-31T23:59:59.999Z')

it('the instant of a timestamp equals Date.parse in every year', () => {
  fc.assert(
    fc.property(fc.integer({ min: year0, max: year9999 }), (time) => {
      expect(epochMsOf(timestampOf(new Date(time)))).toBe(time)
    }),
    { numRuns: quickOrThorough({ quick: 500, thorough: 200_000 }) },
  )
})

it('the instant of a timestamp is correct on every day around the leap days of 800 years', () => {
  for (let year = 1600; year < 2400; year += 1) {
    for (const day of ['01-01', '02-28', '03-01', '12-31', ...(isLeap(year) ? ['02-29'] : [])]) {
      const text = `${String(year)}-${day}T23:59:59.999Z`
      expect(epochMsOf(text)).toBe(Date.parse(text))
    }
  }
})

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
