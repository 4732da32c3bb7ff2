import { broken, type RuleViolation } from './rule-violation.js'

const dateTimeLength = '2026-11-20T09:30:00'.length
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d$/
const maxOffsetLength = '+00:00'.length
const offset = /^(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/**
 * Parses a date-time of RFC 3339, such as `2026-11-20T09:30:00.5+01:00`; `t` and `z` are accepted too. Digits
 * beyond milliseconds are cut off. Returns undefined for any other text, for example without an offset, with a
 * day that the calendar does not have, or with the second 60.
 *
 * A fraction may have any length, so the regular expressions check only the text before and after the fraction.
 */
export function parseInstant(text: string): Date | undefined {
  const toTheSecond = text.slice(0, dateTimeLength)
  const end = endOfFraction(text)
  // Takes one character more than the longest offset, so that trailing text makes the offset invalid.
  const zone = text.slice(end, end + maxOffsetLength + 1)
  if (!dateTime.test(toTheSecond) || !offset.test(zone)) return undefined
  if (!isDay(toTheSecond.slice(0, '2026-11-20'.length))) return undefined
  const milliseconds = text.slice(dateTimeLength + 1, Math.min(end, dateTimeLength + 4))
  return new Date(`${toTheSecond}.${milliseconds.padEnd(3, '0')}${zone}`.toUpperCase())
}

const day = /^\d{4}-\d{2}-\d{2}$/

/** Parses like `parseInstant`, and also accepts a day such as `2026-11-20`, which means midnight in UTC. */
export function parseDayOrInstant(text: string): Date | undefined {
  return parseInstant(day.test(text) ? `${text}T00:00:00Z` : text)
}

const looseDateTime =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(:\d{2}(?:[.,]\d+)?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/

/**
 * Parses a date-time of RFC 3339 or ISO 8601, for senders whose code the operator cannot change. A time
 * without an offset is in UTC. In addition to the forms of `parseInstant`, it accepts:
 * - a day;
 * - a space instead of `T`, and a comma before the fraction;
 * - missing seconds, and the second 60;
 * - the offsets `+0100` and `+01`.
 */
export function parseLooseInstant(text: string): Date | undefined {
  const strict = parseInstant(text)
  if (strict !== undefined) return strict
  const parts = looseDateTime.exec(text)
  if (parts === null) return undefined
  const [, date = '', toTheMinute = '00:00', seconds = ':00', zone = 'Z'] = parts
  const start = parseInstant(`${date}T${toTheMinute}:00${strictOffset(zone)}`)
  const milliseconds = millisecondsOf(seconds.slice(1).replace(',', '.'))
  if (start === undefined || milliseconds === undefined) return undefined
  return new Date(start.getTime() + milliseconds)
}

/**
 * Converts the seconds of a time to milliseconds. Accepts the leap second 60, and cuts off digits beyond
 * milliseconds.
 */
function millisecondsOf(seconds: string): number | undefined {
  const milliseconds = Math.round(1_000 * Number(seconds.slice(0, '59.999'.length)))
  return milliseconds < 61_000 ? milliseconds : undefined
}

/** Converts the offsets `+0100` and `+01` to `+01:00`. */
function strictOffset(zone: string): string {
  if (zone.length === 1) return zone
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
}

/** Returns the index at which the offset begins: after the fraction of a second, if there is one. */
function endOfFraction(text: string): number {
  if (text[dateTimeLength] !== '.') return dateTimeLength
  let end = dateTimeLength + 1
  while (isDigit(text.charCodeAt(end))) end += 1
  return end === dateTimeLength + 1 ? dateTimeLength : end
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Returns whether the calendar has the day. `Date` would accept 31 February as 3 March. */
function isDay(date: string): boolean {
  return new Date(`${date}T00:00:00.000Z`).getUTCDate() === Number(date.slice(-2))
}

/** Checks that an instant in a query is not later than `now`, the time when the request arrived. */
export function pastInstantViolations(instant: Date, now: Date): readonly RuleViolation[] {
  if (instant.getTime() <= now.getTime()) return []
  return [broken('in_future', 'must not be later than now')]
}

export const earliestYear = 1900
/** The largest permitted lead of a caller's clock over this process's clock, in milliseconds. */
export const maxAheadMs = 60_000

const earliest = Date.UTC(earliestYear, 0)

/**
 * Checks the own time of an event, a creation or a change. It must be from the year 1900, in UTC, to 60 seconds after
 * `now`, the time when the request arrived. `instant` is undefined when the caller's text could not be parsed.
 */
export function occurredAtViolations(
  instant: Date | undefined,
  now: Date,
): readonly RuleViolation[] {
  if (instant === undefined || instant.getTime() < earliest) {
    const message =
      'must be a date and time of RFC 3339 with an offset, as in 2026-11-20T09:30:00Z, ' +
      `or a day, as in 2026-11-20, from the year ${String(earliestYear)} on`
    return [broken('not_a_time', message)]
  }
  if (instant.getTime() > now.getTime() + maxAheadMs) {
    const seconds = String(maxAheadMs / 1_000)
    return [broken('in_future', `must not be later than ${seconds} seconds from now`)]
  }
  return []
}
