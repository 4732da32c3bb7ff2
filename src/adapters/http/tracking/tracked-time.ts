import { parseLooseInstant, occurredAtViolations } from '../../../domain/instant.js'
import type { Json } from '../../../domain/json.js'
import type { TimeReplacement } from '../ports/observers.js'
import { isAbsent } from './item-members.js'

/** A number from here on is in milliseconds, a smaller one in seconds. */
const leastMilliseconds = 1e11

/** A device's clock may be ahead of ours by so much, and counts as right. */
const toleratedAheadMs = 10_000
/** What was sent so long ago, or less, is a repeat of the same bytes, and no clock that is behind. */
const toleratedBehindMs = 300_000

/** The instant that a time of an SDK means: a text of `parseLooseInstant`, or a number. Undefined: none. */
export function timeOf(value: Json | undefined): Date | undefined {
  if (typeof value === 'string') return parseLooseInstant(value)
  if (typeof value !== 'number') return undefined
  const at = new Date(Math.abs(value) >= leastMilliseconds ? value : value * 1_000)
  return Number.isNaN(at.getTime()) ? undefined : at
}

export interface TrackedTime {
  /** Undefined where the message has no time. */
  readonly at: Date | undefined
  /** Why the receipt of the request stands in the place of the message's time; undefined: it does not. */
  readonly replacedFor: TimeReplacement | undefined
  /** What the message has as its time, where that cannot be a time of an event. */
  readonly unreadable: string | undefined
}

/** A longer text is cut: no form of a time is that long. */
const maxUnreadableLength = 255

/**
 * When an event happened, by the device's clock, which is corrected where it is certain to be wrong: by
 * when the request was sent. A time that cannot be read, is before 1900 or after the receipt becomes the
 * receipt: an SDK drops an event that is refused.
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

/** By how much the device's clock is ahead of ours, in milliseconds. */
function clockError(sentAt: Date | undefined, receipt: Date): number {
  if (sentAt === undefined) return 0
  const ahead = sentAt.getTime() - receipt.getTime()
  return ahead > toleratedAheadMs || ahead < -toleratedBehindMs ? ahead : 0
}
