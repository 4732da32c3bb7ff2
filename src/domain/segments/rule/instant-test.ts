import type { InstantTest } from './rule.js'
import { parseDayOrInstant } from '../../instant.js'

/** A prepared test of an instant. Instants are milliseconds since 1970. */
export interface PreparedInstantTest {
  readonly isBefore: boolean
  /** The boundary: this instant, or this long after log time. */
  readonly ms: number
  readonly moves: boolean
}

/** Whether it passes, and the first instant of log time at which that differs; Infinity: never. */
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

/** Strict: what is just at the boundary is neither before nor after it. */
export function verdictOfInstant(
  { isBefore, ms, moves }: PreparedInstantTest,
  instant: number,
  now: number,
): Verdict {
  const boundary = moves ? now + ms : ms
  const holds = isBefore ? instant < boundary : instant > boundary
  // A boundary that moves comes to be behind the instant, and stays there.
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

/** A duration such as `30m`, `12h`, `7d`, `2w`, in milliseconds; undefined when the text is none. */
export function durationMs(text: string): number | undefined {
  if (!durationPattern.test(text)) return undefined
  return Number(text.slice(0, -1)) * (unitMs[text.slice(-1)] ?? 0)
}

/** The instant that a property's value means, as `timeMs` has it; undefined when the value is no time. */
export function instantIn(value: unknown): number | undefined {
  return typeof value === 'string' ? timeMs(value) : undefined
}

/** A date and time of RFC 3339 with an offset, or a day (its midnight in UTC). */
export function timeMs(text: string): number | undefined {
  return parseDayOrInstant(text)?.getTime()
}
