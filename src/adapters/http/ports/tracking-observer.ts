/** What an item of Segment's protocol can be. */
export const trackedTypes = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const
export type TrackedType = (typeof trackedTypes)[number]

/** What became of an item of Segment's protocol; `later`: it was not stored now, and can be sent again. */
export const trackedOutcomes = ['stored', 'replayed', 'refused', 'later', 'unknown'] as const
export type TrackedOutcome = (typeof trackedOutcomes)[number]

/** Observes what became of the items of Segment's protocol. Its methods return at once. */
export interface TrackingObserver {
  /** `type`: `none` where the item has none that we know. */
  item(type: TrackedType | 'none', outcome: TrackedOutcome): void
  /** The time of an event was after its receipt, which stands in its place. */
  clippedTime(): void
}
