import type { RuleViolation } from './rule-violation.js'

export const earliestYear = 1900
/** How far a caller's clock may be ahead of ours, in milliseconds. */
export const maxAheadMs = 60_000

const earliest = Date.UTC(earliestYear, 0)

/**
 * The rule of when an event occurred: an instant (undefined: the text that was sent means none) from
 * the year 1900, in UTC, to 60 seconds after `now`, when the event was received.
 */
export function occurredAtViolations(
  instant: Date | undefined,
  now: Date,
): readonly RuleViolation[] {
  if (instant === undefined || instant.getTime() < earliest) {
    const message =
      'must be a date and time of RFC 3339 with an offset, as in 2026-11-20T09:30:00Z, ' +
      `from the year ${String(earliestYear)} on`
    return [{ path: [], code: 'not_a_time', message }]
  }
  if (instant.getTime() > now.getTime() + maxAheadMs) {
    const message = `must not be later than ${String(maxAheadMs / 1_000)} seconds from now`
    return [{ path: [], code: 'in_future', message }]
  }
  return []
}
