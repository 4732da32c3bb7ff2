let latest = { time: Number.NaN, text: '' }

/**
 * Returns a date as `2026-11-20T09:30:00.000Z`. Caches the latest text, because consecutive facts often have
 * one time.
 */
export function timestampOf(date: Date): string {
  const time = date.getTime()
  if (time !== latest.time) latest = { time, text: date.toISOString() }
  return latest.text
}

const zero = 0x30
const msOfDay = 86_400_000
/** The day 0000-03-01, in days since 1970. */
const firstDay = -719_468
/** The number of days in 400 years. The calendar repeats after 400 years. */
const daysOfEra = 146_097

/** Returns milliseconds since 1970 for a text from `timestampOf`, in a fifth of the time of `Date.parse`. */
export function epochMsOf(timestamp: string): number {
  const digit = (at: number) => timestamp.charCodeAt(at) - zero
  const two = (at: number) => 10 * digit(at) + digit(at + 1)
  const days = daysUntil(100 * two(0) + two(2), two(5), two(8))
  const minutes = 60 * two(11) + two(14)
  return days * msOfDay + minutes * 60_000 + two(17) * 1_000 + 100 * digit(20) + two(21)
}

/** Returns the days since 1970. Years are counted from March, so that a leap day is the last day of its year. */
function daysUntil(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * daysOfEra + yearOfEra * 365 + leapDays + dayOfYear + firstDay
}
