export type Zone = 'UTC' | 'this browser'

const units: readonly (readonly [ms: number, name: string])[] = [
  [31_536_000_000, 'year'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

const minuteMs = 60_000

/** Returns the name of a zone for formatting times. Undefined selects the browser's own zone. */
function zoneName(zone: Zone): string | undefined {
  return zone === 'UTC' ? 'UTC' : undefined
}

type Parts = Readonly<Record<string, string>>

function partsOf(at: Date, zone: Zone, options: Intl.DateTimeFormatOptions): Parts {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zoneName(zone), ...options })
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const
const date = { day: 'numeric', month: 'short', year: 'numeric' } as const

/**
 * Formats an instant as `25 Nov 13:10`. Adds the year unless it is the current year. `instant` is in RFC 3339. Returns
 * other text unchanged.
 */
export function shownTime(instant: string, zone: Zone): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  const { hour, minute } = partsOf(at, zone, clock)
  return `${shownDay(at, zone)} ${hour ?? ''}:${minute ?? ''}`
}

/** Formats a day as `25 Nov`. Adds the year unless it is the current year. */
export function shownDay(at: Date, zone: Zone): string {
  const { day, month, year } = partsOf(at, zone, date)
  const isThisYear = partsOf(new Date(), zone, date)['year'] === year
  return `${day ?? ''} ${month ?? ''}${isThisYear ? '' : ` ${year ?? ''}`}`
}

/** Formats the time of day as `13:10:05`. */
export function shownClock(instant: string, zone: Zone): string {
  const { hour, minute, second } = partsOf(new Date(instant), zone, clock)
  return `${hour ?? ''}:${minute ?? ''}:${second ?? ''}`
}

/** Formats an instant in full as `2026-11-25 13:10:05.123 UTC`, for the text that appears on hover. */
export function fullTime(instant: string, zone: Zone): string {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  if (zone === 'UTC') return `${at.toISOString().slice(0, -1).replace('T', ' ')} UTC`
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return `${local.toISOString().slice(0, -1).replace('T', ' ')} in this browser, ${instant}`
}

/** Returns the heading for the entries of one day: `Today, 25 November` or `Thursday, 19 November`. */
export function dayName(instant: string, zone: Zone, now = Date.now()): string {
  const at = new Date(instant)
  const options = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
  const { weekday, day, month, year } = partsOf(at, zone, options)
  const isDay = (ms: number) => shownDay(new Date(now - ms), zone) === shownDay(at, zone)
  const name = isDay(0) ? 'Today' : isDay(86_400_000) ? 'Yesterday' : weekday
  const isThisYear = partsOf(new Date(now), zone, date)['year'] === year
  return `${name ?? ''}, ${day ?? ''} ${month ?? ''}${isThisYear ? '' : ` ${year ?? ''}`}`
}

/**
 * Returns a time relative to now: `3 days ago`, `in 2 hours`, `just now`. Both times are in milliseconds since 1970.
 */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now)
  const [ms, name] = units.find(([unit]) => distance >= unit) ?? [0, '']
  if (ms === 0) return 'just now'
  const words = lengthWords(Math.floor(distance / ms), name)
  return at < now ? `${words} ago` : `in ${words}`
}

/** Formats a duration in its largest unit: `7 days`. `ms` is in milliseconds. */
export function agoWords(ms: number): string {
  const [unit, name] = units.find(([one]) => ms >= one) ?? [1_000, 'second']
  return lengthWords(Math.floor(ms / unit), name)
}

/**
 * Returns the time between the own time of a fact and its recording, in milliseconds. Returns 0 if it is less than a
 * minute. Both times are in RFC 3339.
 */
export function lateMs(occurred: string, recorded: string): number {
  const ms = Date.parse(recorded) - Date.parse(occurred)
  return ms > minuteMs ? ms : 0
}

function lengthWords(count: number, name: string): string {
  return `${String(count)} ${name}${count === 1 ? '' : 's'}`
}

/** Returns `90d` as `90 days`. A duration is a whole number with one of the units m, h, d, w. */
export function durationWords(duration: string): string {
  const names: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day', w: 'week' }
  const [, count = '', unit = ''] = /^([0-9]+)([mhdw])$/.exec(duration) ?? []
  const name = names[unit]
  return name === undefined ? duration : `${count} ${name}${count === '1' ? '' : 's'}`
}

/** The number of characters of an answer that add one millisecond to the pause before the next request. */
const charactersEachMs = 50

/** Returns the pause before an answer is requested again, in milliseconds. The pause is longer for a large answer. */
export function waitAfter(answer: unknown, everyMs: number): number {
  if (answer === undefined) return everyMs
  return Math.max(everyMs, JSON.stringify(answer).length / charactersEachMs)
}
