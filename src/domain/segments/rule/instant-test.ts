import type { InstantTest } from './rule.js'
import { parseDayOrInstant } from '../../instant.js'

/** A parsed test of an instant. Instants are milliseconds since 1970. */
export interface PreparedInstantTest {
  readonly isBefore: boolean
  /** The boundary, in milliseconds: an instant, or a distance from log time if `moves` is true. */
  readonly ms: number
  readonly moves: boolean
}

/** The result of a test. It is valid until the log time `until` if no new fact follows. */
export interface Verdict {
  readonly holds: boolean
  readonly until: number
}

export const always: Verdict = { holds: true, until: Infinity }
export const never: Verdict = { holds: false, until: Infinity }

export function prepareInstantTest(test: InstantTest): PreparedInstantTest {
  const isBefore = 'before' in test
  const boundary = isBefore ? test.before : test.after
  if (typeof boundary === 'string') {
    return { isBefore, ms: timeMs(boundary) ?? Number.NaN, moves: false }
  }
  const ms =
    'ago' in boundary ? -(durationMs(boundary.ago) ?? Number.NaN) : durationMs(boundary.ahead)
  return { isBefore, ms: ms ?? Number.NaN, moves: true }
}

/** Tests an instant. An instant that equals the boundary is neither before nor after it. */
export function verdictOfInstant(
  { isBefore, ms, moves }: PreparedInstantTest,
  instant: number,
  now: number,
): Verdict {
  const boundary = moves ? now + ms : ms
  const holds = isBefore ? instant < boundary : instant > boundary
  // A moving boundary passes the instant once, and never moves back.
  const isFinal = !moves || holds === isBefore
  if (isFinal) return { holds, until: Infinity }
  return { holds, until: instant - ms + (isBefore ? 1 : 0) }
}

const minuteMs = 60_000
const unitMs: Readonly<Record<string, number>> = {
  m: minuteMs,
  h: 60 * minuteMs,
  d: 24 * 60 * minuteMs,
  w: 7 * 24 * 60 * minuteMs,
}

const durationPattern = /^[1-9]\d{0,3}[mhdw]$/

/** Parses a duration such as `30m`, `12h`, `7d`, `2w`. Returns milliseconds, or undefined for other text. */
export function durationMs(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? 0)
}

/** Returns the instant of a property value, as `timeMs` does, or undefined when the value is not a time. */
export function instantIn(value: unknown): number | undefined {
  return typeof value === 'string' ? timeMs(value) : undefined
}

/** Parses an RFC 3339 time with an offset, or a day (midnight UTC), to milliseconds since 1970. */
export function timeMs(text: string): number | undefined {
  return parseDayOrInstant(text)?.getTime()
}
