export interface TimeVerdict {
  /** The expected error code. Undefined for a valid time. */
  readonly code?: 'wrong_type' | 'not_a_time' | 'in_future'
  /** The time that the response must repeat. Undefined unless a valid time was sent. */
  readonly time?: string
}

const day = /^\d{4}-\d\d-\d\d$/
const form =
  /^(?<date>\d{4}-\d\d-\d\d)T(?<time>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d+))?(?<zone>Z|[+-]\d\d:\d\d)$/i
const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Returns the expected outcome of `occurred_at`, derived only from the contract: see `bodyVerdict`. */
export function timeVerdict(value: unknown): TimeVerdict {
  if (value === undefined) return {}
  if (typeof value !== 'string') return { code: 'wrong_type' }
  // A day means its midnight in UTC.
  const time = timeIn(day.test(value) ? `${value}T00:00:00Z` : value)
  if (time === undefined || time < Date.UTC(1900, 0, 1)) return { code: 'not_a_time' }
  if (time > Date.now() + 60_000) return { code: 'in_future' }
  return { time: new Date(time).toISOString() }
}

/** Parses a time to milliseconds since 1970. */
function timeIn(text: string): number | undefined {
  const { date, time, zone, fraction = '' } = form.exec(text)?.groups ?? {}
  if (date === undefined || time === undefined || zone === undefined) return undefined
  const [days, seconds, ahead] = [daysIn(date), secondsIn(time), minutesIn(zone)]
  if (days === undefined || seconds === undefined || ahead === undefined) return undefined
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  return ((days * 24 * 60 - ahead) * 60 + seconds) * 1_000 + milliseconds
}

/** Converts a date to days since 1970. */
function daysIn(date: string): number | undefined {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  if (day < 1 || day > lastDay(year, month)) return undefined
  // The calendar repeats every 400 years. The offset is needed because `Date.UTC` reads the year 50 as 1950.
  return Date.UTC(year + 400, month - 1, day) / 86_400_000 - 146_097
}

function lastDay(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && leap ? 29 : (daysOf[month - 1] ?? 0)
}

function secondsIn(time: string): number | undefined {
  const [hour = 0, minute = 0, second = 0] = time.split(':').map(Number)
  return hour > 23 || minute > 59 || second > 59 ? undefined : (hour * 60 + minute) * 60 + second
}

/** Returns the offset of a zone from UTC in minutes. */
function minutesIn(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const seconds = secondsIn(`${zone.slice(1)}:00`)
  return seconds === undefined ? undefined : (seconds / 60) * (zone.startsWith('-') ? -1 : 1)
}
