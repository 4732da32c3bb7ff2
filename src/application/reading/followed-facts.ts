import type { Checkpoint, FeedFact } from './ports/read-model.js'

/** What came next in the feed: perhaps nothing but a place. */
export interface FeedStep {
  /** Those that pass. */
  readonly facts: readonly FeedFact[]
  /** About how many did not. */
  readonly leftOut: number
  /** All facts up to here were looked at. */
  readonly reached: Checkpoint
  /** All that is applied was looked at, for the first time. */
  readonly isCaughtUp: boolean
}

export interface FollowedFacts {
  /**
   * The next step, waiting until there is one, or until it is woken. Undefined at its end: `end` was
   * called, or the read model is built anew. To be called again when it has resolved.
   */
  next(): Promise<FeedStep | undefined>
  /** Lets `next` resolve now, and looks for what is new. */
  wake(): void
  end(): void
}
