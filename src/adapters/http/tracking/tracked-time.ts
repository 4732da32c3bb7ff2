import { parseLooseInstant, occurredAtViolations } from '../../../domain/instant.js'
import type { Json } from '../../../domain/json.js'
import type { TimeReplacement } from '../ports/observers.js'
import { isAbsent } from './item-members.js'

/** From this number on, numbers are milliseconds; smaller numbers are seconds. */
const leastMilliseconds = 1e11

/** A device clock that is ahead of ours by up to this counts as right. */
const toleratedAheadMs = 10_000
/** A request that was sent up to this long ago counts as a retry of the same bytes, and not as a slow clock. */
const toleratedBehindMs = 300_000

/** The instant that a time of an SDK means: a text of `parseLooseInstant`, or a number. Undefined: none. */
export function timeOf(value: Json | undefined): Date | undefined {
  if (typeof value === 'string') return parseLooseInstant(value)
  if (typeof value !== 'number') return undefined
  const at = new Date(Math.abs(value) >= leastMilliseconds ? value : value * 1_000)
  return Number.isNaN(at.getTime()) ? undefined : at
}

export interface TrackedTime {
  /** Undefined for a message without a time. */
  readonly at: Date | undefined
  /** Why the time of receipt replaced the time of the message; undefined if it did not. */
  readonly replacedFor: TimeReplacement | undefined
  /** The time of the message as it was sent, if it cannot be the time of an event. */
  readonly unreadable: string | undefined
}

/** Longer texts are cut: no form of a time is that long. */
const maxUnreadableLength = 255

/**
 * The time of an event, by the clock of the device. A clock that is certainly wrong is corrected with the time at which
 * the request was sent. The time of receipt replaces a time that cannot be read, is before 1900, or is after the
 * receipt, because an SDK drops an event that is refused.
 */
export function trackedTime(
  stamp: Json | undefined,
  sentAt: Date | undefined,
  receipt: Date,
): TrackedTime {
  if (isAbsent(stamp)) return { at: undefined, replacedFor: undefined, unreadable: undefined }
  const stamped = timeOf(stamp)
  if (stamped === undefined) return unreadableTime(stamp, receipt)
  const at = new Date(stamped.getTime() - clockError(sentAt, receipt))
  if (at.getTime() > receipt.getTime()) {
    return { at: receipt, replacedFor: 'after_receipt', unreadable: undefined }
  }
  if (occurredAtViolations(at, receipt).length > 0) return unreadableTime(stamp, receipt)
  return { at, replacedFor: undefined, unreadable: undefined }
}

function unreadableTime(stamp: Json, receipt: Date): TrackedTime {
  const text = typeof stamp === 'object' ? undefined : String(stamp)
  const unreadable = text?.slice(0, maxUnreadableLength).toWellFormed()
  return { at: receipt, replacedFor: 'not_a_time', unreadable }
}

/** How far the clock of the device is ahead of ours, in milliseconds. */
function clockError(sentAt: Date | undefined, receipt: Date): number {
  if (sentAt === undefined) return 0
  const ahead = sentAt.getTime() - receipt.getTime()
  return ahead > toleratedAheadMs || ahead < -toleratedBehindMs ? ahead : 0
}
