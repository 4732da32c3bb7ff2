import { describe, expect, it, test } from '@jest/globals'
import fc from 'fast-check'
import { parseInstant, parseLooseInstant } from '../../src/domain/instant.js'
import { quickOrThorough } from '../support/thoroughness.js'

describe('an RFC 3339 date-time is parsed to an instant', () => {
  test.each([
    ['2026-11-20T09:30:00Z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20t09:30:00z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T09:30:00+01:00', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20T09:30:00-00:00', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T23:59:59+23:59', '2026-11-20T00:00:59.000Z'],
    ['2026-11-20T00:00:00-23:59', '2026-11-20T23:59:00.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant)
  })
})

describe('digits after milliseconds are cut off and not rounded', () => {
  test.each([
    ['one digit', '.5', '.500'],
    ['two', '.05', '.050'],
    ['four', '.1234', '.123'],
    ['four nines', '.9999', '.999'],
    ['twenty', '.00099999999999999999', '.000'],
    ['very many digits', `.${'9'.repeat(100_000)}`, '.999'],
  ])('%s', (_count, fraction, kept) => {
    const text = `2026-11-20T09:30:59${fraction}-00:30`
    expect(parseInstant(text)?.toISOString()).toBe(`2026-11-20T10:00:59${kept}Z`)
  })
})

describe('other text is not parsed', () => {
  test.each([
    ['nothing', ''],
    ['no offset', '2026-11-20T09:30:00'],
    ['no offset after a fraction', '2026-11-20T09:30:00.000'],
    ['no time', '2026-11-20'],
    ['no seconds', '2026-11-20T09:30Z'],
    ['no separators', '20261120T093000Z'],
    ['a space instead of T', '2026-11-20 09:30:00Z'],
    ['a space before the time', ' 2026-11-20T09:30:00Z'],
    ['a space after the time', '2026-11-20T09:30:00Z '],
    ['a line feed after the time', '2026-11-20T09:30:00Z\n'],
    ['text after the time', '2026-11-20T09:30:00+01:00x'],
    ['a zone after an offset', '2026-11-20T09:30:00+01:00[Europe/Paris]'],
    ['two offsets', '2026-11-20T09:30:00ZZ'],
    ['another zone', '2026-11-20T09:30:00CET'],
    ['an offset of hours', '2026-11-20T09:30:00+01'],
    ['an offset without a colon', '2026-11-20T09:30:00+0100'],
    ['an offset of seconds', '2026-11-20T09:30:00+01:00:00'],
    ['an offset of 24 hours', '2026-11-20T09:30:00+24:00'],
    ['an offset of 60 minutes', '2026-11-20T09:30:00+00:60'],
    ['a typographic minus sign', '2026-11-20T09:30:00\u221201:00'],
    ['a point without digits', '2026-11-20T09:30:00.Z'],
    ['a comma', '2026-11-20T09:30:00,5Z'],
    ['two fractions', '2026-11-20T09:30:00.5.5Z'],
    ['month 0', '2026-00-20T09:30:00Z'],
    ['month 13', '2026-13-20T09:30:00Z'],
    ['day 0', '2026-11-00T09:30:00Z'],
    ['31 November', '2026-11-31T09:30:00Z'],
    ['31 February', '2026-02-31T09:30:00Z'],
    ['29 February outside a leap year', '2026-02-29T09:30:00Z'],
    ['29 February of 1900', '1900-02-29T09:30:00Z'],
    ['day 32', '2026-12-32T09:30:00Z'],
    ['hour 24', '2026-11-20T24:00:00Z'],
    ['minute 60', '2026-11-20T09:60:00Z'],
    ['second 60', '2016-12-31T23:59:60Z'],
    ['a year of five digits', '12026-11-20T09:30:00Z'],
    ['a year with a sign', '+002026-11-20T09:30:00Z'],
    ['digits of another script', '\u0662026-11-20T09:30:00Z'],
    ['digits of another script in a fraction', '2026-11-20T09:30:00.\u0665Z'],
    ['a lone surrogate', '2026-11-20T09:30:00\ud800'],
    ['a number of seconds', '1795340694'],
    ['a text that `Date` accepts', 'Fri, 20 Nov 2026 09:30:00 GMT'],
    ['very long text', 'x'.repeat(1_000_000)],
    ['a very long fraction', `2026-11-20T09:30:00.${'0'.repeat(1_000_000)}`],
    ['very long text after an offset', `2026-11-20T09:30:00+01:00${'0'.repeat(1_000_000)}`],
  ])('%s', (_what, text) => {
    expect(parseInstant(text)).toBeUndefined()
  })
})

const numRuns = quickOrThorough({ quick: 500, thorough: 20_000 })
const two = (value: number) => String(value).padStart(2, '0')

it('a date-time with any offset is parsed to the instant that it means', () => {
  const date = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9998-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  const digits = fc.stringMatching(/^\d{0,12}$/)
  const minutes = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 })
  fc.assert(
    fc.property(date, minutes, digits, (instant, ahead, further) => {
      const local = new Date(instant.getTime() + ahead * 60_000).toISOString().slice(0, -1)
      const [hours, rest] = [Math.floor(Math.abs(ahead) / 60), Math.abs(ahead) % 60]
      const text = `${local}${further}${ahead < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`
      expect(parseInstant(text)).toEqual(instant)
    }),
    { numRuns },
  )
})

it('only dates and times that the calendar has are parsed', () => {
  const field = fc.integer({ min: 0, max: 99 })
  const year = fc.integer({ min: 1900, max: 2100 })
  fc.assert(
    fc.property(year, field, field, field, field, field, (y, month, day, hour, minute, second) => {
      const text = `${String(y)}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}`
      const time = Date.UTC(y, month - 1, day, hour, minute, second)
      const isThere = new Date(time).toISOString() === `${text}.000Z`
      expect(parseInstant(`${text}Z`)?.getTime()).toBe(isThere ? time : undefined)
    }),
    {
      numRuns,
      examples: [
        [2024, 2, 29, 0, 0, 0],
        [2100, 2, 29, 0, 0, 0],
      ],
    },
  )
})

describe('a date-time in a loose form is parsed', () => {
  test.each([
    ['2026-11-20T09:30:00.5+01:00', '2026-11-20T08:30:00.500Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T09:30:00', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T09:30:00.123456', '2026-11-20T09:30:00.123Z'],
    ['2026-11-20T09:30:00.123456789Z', '2026-11-20T09:30:00.123Z'],
    ['2026-11-20T09:30:00,5Z', '2026-11-20T09:30:00.500Z'],
    ['2026-11-20 09:30:00+01:00', '2026-11-20T08:30:00.000Z'],
    ['2026-11-20t09:30:00z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T09:30Z', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T09:30', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T17:30:00+0800', '2026-11-20T09:30:00.000Z'],
    ['2026-11-20T17:30:00.123456+08', '2026-11-20T09:30:00.123Z'],
    ['2026-11-20T06:00:00-0330', '2026-11-20T09:30:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60.25', '2017-01-01T00:00:00.250Z'],
    [`2026-11-20T09:30:00.${'9'.repeat(100_000)}+0100`, '2026-11-20T08:30:00.999Z'],
  ])('%s', (text, instant) => {
    expect(parseLooseInstant(text)?.toISOString()).toBe(instant)
  })

  test.each([
    '',
    'yesterday',
    '20261120T093000Z',
    '2026-02-30T00:00:00',
    '2026-11-20T24:00:00',
    '2026-11-20T09:30:61',
    '2026-11-20T09:60',
    '2026-11-20T09',
    '2026-11-20T09:30:00.',
    '2026-11-20T09:30:00 +0100',
    '2026-11-20T09:30:00+1',
    '2026-11-20T09:30:00+2400',
    '2026-11-20T09:30:00+01:00:00',
    '2026-11-20T09:30:00 UTC',
    '2026-11-20+01:00',
    ' 2026-11-20',
    '2026-11-20\n',
    '1732093200000',
  ])('%j is not parsed', (text) => {
    expect(parseLooseInstant(text)).toBeUndefined()
  })
})
