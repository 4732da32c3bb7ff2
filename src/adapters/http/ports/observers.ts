import type { FaultCode } from '../errors/faults.js'

/** Called with each reply of the server. Its methods return at once. */
export interface RequestObserver {
  /**
   * Called once for each route. The function that it returns is called at every reply to that route,
   * with the status and the seconds since the request's headers came. `method` and `route` are `none`
   * for requests without a route.
   */
  route(method: string, route: string): (status: number, seconds: number) => void
  fault(code: FaultCode): void
  /** Called when a stream of the feed begins or ends, with how many are open now. */
  feedReaders(count: number): void
}

/** What an item of Segment's protocol can be. */
export const trackedTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const
export type TrackedType = (typeof trackedTypes)[number]

/**
 * What became of an item of Segment's protocol. `later`: it was not stored now, and can be sent again.
 * `dropped`: it is of an erased entity, and its sender, who may only track, is not told so.
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

/** Why the receipt of a request stands in the place of an event's time. */
export const timeReplacements = ['after_receipt', 'not_a_time'] as const
export type TimeReplacement = (typeof timeReplacements)[number]

/** Observes what became of the items of Segment's protocol. Its methods return at once. */
export interface TrackingObserver {
  /** `type`: `none` where the item has none that we know. */
  item(type: TrackedType | 'none', outcome: TrackedOutcome): void
  /** The receipt of an event stands in the place of its time. */
  replacedTime(reason: TimeReplacement): void
}

export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}
