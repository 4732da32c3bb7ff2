import { parseLooseInstant, occurredAtViolations } from '../../../domain/instant.js'
import type { Json } from '../../../domain/json.js'
import type { TimeReplacement } from '../ports/observers.js'
import { isAbsent } from './item-members.js'

/** The smallest number that means milliseconds since 1970. A smaller number means seconds. */
const leastMilliseconds = 1e11

/** A device's clock counts as correct if it is ahead by at most this number of milliseconds. */
const toleratedAheadMs = 10_000
/**
 * A device's clock counts as correct if the sent time is at most this number of milliseconds old.
 * An SDK may send a request again after some time. An older sent time means that the device's clock
 * is slow.
 */
const toleratedBehindMs = 300_000

/**
 * Converts an SDK's time, a text or a number, to an instant. `parseLooseInstant` reads texts.
 * Returns undefined for an invalid time.
 */
export function timeOf(value: Json | undefined): Date | undefined {
  if (typeof value === 'string') return parseLooseInstant(value)
  if (typeof value !== 'number') return undefined
  const at = new Date(Math.abs(value) >= leastMilliseconds ? value : value * 1_000)
  return Number.isNaN(at.getTime()) ? undefined : at
}

export interface TrackedTime {
  /** The time of the message. Undefined for a message without a time. */
  readonly at: Date | undefined
  /** The reason why the time of receipt replaced the message's time. Undefined if it did not. */
  readonly replacedFor: TimeReplacement | undefined
  /** The invalid time as sent. Undefined if the message's time is valid. */
  readonly unreadable: string | undefined
}

/**
 * The maximum stored length of an invalid time. Longer texts are cut, because no time format is
 * that long.
 */
const maxUnreadableLength = 255

/**
 * Returns the own time of a message: the device's time. If the device's clock is certainly wrong,
 * corrects this time by the request's sent time. The time of receipt replaces a time that is
 * unreadable, before 1900, or after the receipt. If the event were refused instead, the SDK would
 * drop it.
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

/**
 * Returns the number of milliseconds by which the device's clock is ahead of the server's clock.
 */
function clockError(sentAt: Date | undefined, receipt: Date): number {
  if (sentAt === undefined) return 0
  const ahead = sentAt.getTime() - receipt.getTime()
  return ahead > toleratedAheadMs || ahead < -toleratedBehindMs ? ahead : 0
}
