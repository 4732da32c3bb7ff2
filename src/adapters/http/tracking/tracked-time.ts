import { parseLooseInstant, occurredAtViolations } from '../../../domain/instant.js'
import type { Json } from '../../../domain/json.js'
import type { TimeReplacement } from '../ports/observers.js'
import { isAbsent } from './item-members.js'

/** Numbers from this value on are milliseconds. Smaller numbers are seconds. */
const leastMilliseconds = 1e11

/** A device clock that is ahead by at most this many milliseconds counts as correct. */
const toleratedAheadMs = 10_000
/**
 * A request that was sent at most this many milliseconds ago counts as a retry. An older one means that the
 * device's clock is slow.
 */
const toleratedBehindMs = 300_000

/**
 * Converts an SDK's time to an instant: a text of `parseLooseInstant`, or a number. Undefined without a valid time.
 */
export function timeOf(value: Json | undefined): Date | undefined {
  if (typeof value === 'string') return parseLooseInstant(value)
  if (typeof value !== 'number') return undefined
  const at = new Date(Math.abs(value) >= leastMilliseconds ? value : value * 1_000)
  return Number.isNaN(at.getTime()) ? undefined : at
}

export interface TrackedTime {
  /** Undefined for a message without a time. */
  readonly at: Date | undefined
  /** Why the time of receipt replaced the message's time. Undefined if it did not. */
  readonly replacedFor: TimeReplacement | undefined
  /** The message's time as sent. Undefined if it is a valid time for an event. */
  readonly unreadable: string | undefined
}

/** The stored length of an invalid time. Longer texts are cut, because no time format is that long. */
const maxUnreadableLength = 255

/**
 * Returns the time of an event. Starts from the device's time, and uses the request's sent time to correct a clock
 * that is certainly wrong.
 * The time of receipt replaces a time that is unreadable, before 1900, or after the receipt. Refusing the event
 * instead would make the SDK drop it.
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

/** Returns how far the device's clock is ahead of the server's clock, in milliseconds. */
function clockError(sentAt: Date | undefined, receipt: Date): number {
  if (sentAt === undefined) return 0
  const ahead = sentAt.getTime() - receipt.getTime()
  return ahead > toleratedAheadMs || ahead < -toleratedBehindMs ? ahead : 0
}
