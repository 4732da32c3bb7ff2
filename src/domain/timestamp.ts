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

let latestParsed = { text: '', time: Number.NaN }

/**
 * Returns milliseconds since 1970 for a text from `timestampOf`, in a fifth of the time of `Date.parse`. Caches the
 * latest result, because the time of one fact is often needed several times.
 */
export function epochMsOf(timestamp: string): number {
  if (timestamp !== latestParsed.text) latestParsed = { text: timestamp, time: parse(timestamp) }
  return latestParsed.time
}

function parse(timestamp: string): number {
  const days = daysUntil(
    100 * numberAt(timestamp, 0) + numberAt(timestamp, 2),
    numberAt(timestamp, 5),
    numberAt(timestamp, 8),
  )
  const minutes = 60 * numberAt(timestamp, 11) + numberAt(timestamp, 14)
  const seconds = 60 * minutes + numberAt(timestamp, 17)
  return days * msOfDay + seconds * 1_000 + 100 * digitAt(timestamp, 20) + numberAt(timestamp, 21)
}

/** Returns the number of two digits. */
function numberAt(text: string, at: number): number {
  return 10 * digitAt(text, at) + digitAt(text, at + 1)
}

function digitAt(text: string, at: number): number {
  return text.charCodeAt(at) - zero
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
