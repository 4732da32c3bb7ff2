import { instantOf } from '../../instant.js'

const minuteMs = 60_000
const unitMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
}

const durationPattern = /^[1-9]\d{0,3}[mhdw]$/
const dayPattern = /^\d{4}-\d{2}-\d{2}$/

/** A duration such as `30m`, `12h`, `7d`, `2w`, in milliseconds; undefined when the text is none. */
export function durationMs(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? 0)
}

/** The instant that a property's value means, as `timeMs` has it; undefined when the value is no time. */
export function instantIn(value: unknown): number | undefined {
  return typeof value === 'string' ? timeMs(value) : undefined
}

/**
 * A date and time of RFC 3339 with an offset, or a day, which is its midnight in UTC, in milliseconds
 * since 1970; undefined when the text is neither.
 */
export function timeMs(text: string): number | undefined {
  return instantOf(dayPattern.test(text) ? `${text}T00:00:00Z` : text)?.getTime()
}
