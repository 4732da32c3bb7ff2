export type Zone = 'UTC' | 'this browser'

const units: readonly (readonly [ms: number, name: string])[] = [
  [31_536_000_000, 'year'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
]

/** `2026-11-20 09:30:00` in the zone. `instant`: RFC 3339, as the service answers it. */
export function shownTime(instant: string, zone: Zone): string {
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return instant
  const local = zone === 'UTC' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ')
}

/** `3 days ago`, `in 2 hours`, `just now`. Both in milliseconds since 1970. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(at - now)
  const [ms, name] = units.find(([unit]) => distance >= unit) ?? [0, '']
  if (ms === 0) return 'just now'
  const count = Math.floor(distance / ms)
  const words = `${String(count)} ${name}${count === 1 ? '' : 's'}`
  return at < now ? `${words} ago` : `in ${words}`
}

/** `90d` as `90 days`. Durations are a whole number and one of m, h, d, w. */
export function durationWords(duration: string): string {
  const names: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day', w: 'week' }
  const [, count = '', unit = ''] = /^([0-9]+)([mhdw])$/.exec(duration) ?? []
  const name = names[unit]
  return name === undefined ? duration : `${count} ${name}${count === '1' ? '' : 's'}`
}

/** Characters of an answer for which one waits a millisecond before it is asked for again. */
const charactersEachMs = 50

/** How long to wait before an answer is asked for again, in milliseconds: longer where it was large. */
export function waitAfter(answer: unknown, everyMs: number): number {
  if (answer === undefined) return everyMs
  return Math.max(everyMs, JSON.stringify(answer).length / charactersEachMs)
}
