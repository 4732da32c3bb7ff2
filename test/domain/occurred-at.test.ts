import { describe, expect, test } from '@jest/globals'
import { parseInstant, occurredAtViolations } from '../../src/domain/instant.js'

const now = new Date('2026-11-20T09:30:00.007Z')
const codesOf = (text: string) =>
  occurredAtViolations(parseInstant(text), now).map(({ path, code }) => [path, code])

describe('the time of occurrence is accepted:', () => {
  test.each([
    ['at the beginning of 1900', '1900-01-01T00:00:00Z'],
    ['at the beginning of 1900, in a zone where it was still 1899', '1899-12-31T23:59:00-00:01'],
    ['long before it is recorded', '1999-12-31T23:59:59.999+05:30'],
    ['at this moment', '2026-11-20T09:30:00.007Z'],
    ['60 seconds from now', '2026-11-20T09:31:00.007Z'],
    ['60 seconds from now, with digits that are truncated', '2026-11-20T09:31:00.00799999Z'],
    ['60 seconds from now, in a zone where it is tomorrow', '2026-11-21T09:30:00.007+23:59'],
  ])('%s', (_what, text) => {
    expect(codesOf(text)).toEqual([])
  })
})

describe('the time of occurrence is refused:', () => {
  test.each([
    ['at an invalid time', '2026-02-31T00:00:00Z', 'not_a_time'],
    ['before 1900', '1899-12-31T23:59:59.999999Z', 'not_a_time'],
    ['before 1900, in a zone where it was 1900', '1900-01-01T00:00:59+00:01', 'not_a_time'],
    ['in the year 0', '0000-01-01T00:00:00Z', 'not_a_time'],
    ['later than 60 seconds from now', '2026-11-20T09:31:00.008Z', 'in_future'],
    [
      'later than 60 seconds from now, in a zone where it is yesterday',
      '2026-11-19T09:32:00.008-23:59',
      'in_future',
    ],
    ['after the year 9999', '9999-12-31T23:59:59-23:59', 'in_future'],
  ])('%s', (_what, text, code) => {
    expect(codesOf(text)).toEqual([[[], code]])
  })
})

test('the message of a refused time says what to do', () => {
  const message = (text: string) => occurredAtViolations(parseInstant(text), now)[0]?.message
  expect(message('SECRET')).toBe(
    'must be a date and time of RFC 3339 with an offset, as in 2026-11-20T09:30:00Z, or a day, as in ' +
      '2026-11-20, from the year 1900 on',
  )
  expect(message('2027-01-01T00:00:00Z')).toBe('must not be later than 60 seconds from now')
})
