import type { FaultCode } from '../errors/faults.js'

/** Called with each reply of the server. Its methods return at once. */
export interface RequestObserver {
  /**
   * Called once for each route. Returns a function that is called at every reply of that route, with the status and
   * the seconds since the headers of the request arrived. `method` and `route` are `none` for requests without a route.
   */
  route(method: string, route: string): (status: number, seconds: number) => void
  fault(code: FaultCode): void
  /** Called when a stream of the feed begins or ends, with the number of open streams. */
  feedReaders(count: number): void
}

/** The types of items of Segment's protocol. */
export const trackedTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const
export type TrackedType = (typeof trackedTypes)[number]

/**
 * The outcomes of an item of Segment's protocol. `later`: the item was not stored, and can be sent again. `dropped`:
 * the item is about an erased entity, and its sender may only track, so the reply does not say so.
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

/** Why the time of receipt replaced the time of an event. */
export const timeReplacements = ['after_receipt', 'not_a_time'] as const
export type TimeReplacement = (typeof timeReplacements)[number]

/** Called with the outcome of each item of Segment's protocol. Its methods return at once. */
export interface TrackingObserver {
  /** `type`: `none` for an item of an unknown type. */
  item(type: TrackedType | 'none', outcome: TrackedOutcome): void
  /** Called when the time of receipt replaced the time of an event. */
  replacedTime(reason: TimeReplacement): void
}

export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}
