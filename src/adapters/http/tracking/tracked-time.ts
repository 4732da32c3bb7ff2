import { dayOrInstantOf, occurredAtViolations } from '../../../domain/instant.js'
import type { Json } from '../../../domain/json.js'

/** A number from here on is in milliseconds, a smaller one in seconds. */
const leastMilliseconds = 1e11

/** A device's clock may be ahead of ours by so much, and counts as right. */
const toleratedAheadMs = 10_000
/** What was sent so long ago, or less, is a repeat of the same bytes, and no clock that is behind. */
const toleratedBehindMs = 300_000

/** The instant that a time of an SDK means: RFC 3339, a date, or a number. Undefined: it is none. */
export function timeOf(value: Json | undefined): Date | undefined {
  if (typeof value === 'string') return dayOrInstantOf(value)
  if (typeof value !== 'number') return undefined
  const at = new Date(Math.abs(value) >= leastMilliseconds ? value : value * 1_000)
  return Number.isNaN(at.getTime()) ? undefined : at
}

interface TrackedTime {
  /** Undefined where nothing is said of it. */
  readonly at: Date | undefined
  /** Whether it would have been after the request's receipt, which stands in its place. */
  readonly isClipped: boolean
}

/**
 * When an event happened, by the device's clock, which is corrected where it is certain to be wrong: by
 * when the request was sent. Undefined: what was sent is no time that an event can have.
 */
export function trackedTime(
  stamp: Json | undefined,
  sentAt: Date | undefined,
  receipt: Date,
): TrackedTime | undefined {
  if (stamp === undefined || stamp === null) return { at: undefined, isClipped: false }
  const stamped = timeOf(stamp)
  if (stamped === undefined) return undefined
  const at = new Date(stamped.getTime() - clockError(sentAt, receipt))
  if (at.getTime() > receipt.getTime()) return { at: receipt, isClipped: true }
  return occurredAtViolations(at, receipt).length > 0 ? undefined : { at, isClipped: false }
}

/** By how much the device's clock is ahead of ours, in milliseconds. */
function clockError(sentAt: Date | undefined, receipt: Date): number {
  if (sentAt === undefined) return 0
  const ahead = sentAt.getTime() - receipt.getTime()
  return ahead > toleratedAheadMs || ahead < -toleratedBehindMs ? ahead : 0
}
