import type { FaultCode } from '../errors/faults.js'

/** Receives each reply of the server, for the metrics. Its methods return immediately. */
export interface RequestObserver {
  /**
   * Called once for each route. Returns a function that receives the status of each reply, and the
   * seconds since the headers of the request arrived. `method` and `route` are `none` for requests
   * that no route accepts.
   */
  route(method: string, route: string): (status: number, seconds: number) => void
  fault(code: FaultCode): void
  /** Called when a stream of the feed begins or ends, with the number of open streams. */
  feedReaders(count: number): void
}

/** The item types of Segment's tracking protocol. */
export const trackedTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const
export type TrackedType = (typeof trackedTypes)[number]

/**
 * The possible outcomes of a tracked item. `later`: the item was not stored and can be sent again.
 * `dropped`: the item is about an erased entity. The reply hides this outcome from a sender whose
 * key can only track.
 */
export const trackedOutcomes = [
  'stored',
  'replayed',
  'refused',
  'dropped',
  'later',
  'unknown',
] as const
export type TrackedOutcome = (typeof trackedOutcomes)[number]

/** The reasons for replacing the time of an event by its time of receipt. */
export const timeReplacements = ['after_receipt', 'not_a_time'] as const
export type TimeReplacement = (typeof timeReplacements)[number]

/** Receives the outcome of each tracked item, for the metrics. Its methods return immediately. */
export interface TrackingObserver {
  /** `type` is `none` for an item of an unknown type. */
  item(type: TrackedType | 'none', outcome: TrackedOutcome): void
  /** Called when an event gets the time of receipt instead of its own time. */
  replacedTime(reason: TimeReplacement): void
}

export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}
