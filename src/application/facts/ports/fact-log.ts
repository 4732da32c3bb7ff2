import type { StoredFact } from '../stored-fact.js'

export interface LoggedFact extends StoredFact {
  readonly stream: string
  /**
   * The fact's position in the whole store: a whole number above 0. `Receipt.position` is the same number as
   * text.
   */
  readonly position: number
  /** The position of the stream's first fact, if the store has it at hand. */
  readonly streamStart?: number
}

/** The next facts of a log, possibly none. */
export interface LogPage {
  /** In position order. */
  readonly facts: readonly LoggedFact[]
  /**
   * No fact of ours lies between the last of `facts` and this position. At least the position of the last
   * fact.
   */
  readonly reached: number
}

export interface LogHead {
  /** No fact of ours lies between this position and `end`. 0 when there is no fact. */
  readonly newest: number
  /**
   * The highest position in the store. In a store that other programs write to, the position may be no fact
   * of ours.
   */
  readonly end: number
}

/**
 * All facts of ours in position order: facts in the streams of `isOurStream`, of the types in `factTable`.
 * Skips everything else in the store.
 */
export interface FactLog {
  /**
   * Yields pages of the facts after a position, and then new facts as they are stored. Each fact is delivered
   * once, after all facts with lower positions. The facts of one append may be split over two pages.
   *
   * Ends when the signal is aborted. Throws `store_unavailable` when the store does not answer or drops the
   * subscription, which some stores do to a slow reader. Follow again after the last fact received. Does not
   * check that the store knows `after`: call `at` and `head` first.
   */
  follow(after: number, signal: AbortSignal): AsyncIterable<LogPage>
  /**
   * Every fact that was acknowledged before the call lies at or below `newest`. Rejects with
   * `store_unavailable`.
   */
  head(): Promise<LogHead>
  /** Returns the fact of ours at a position, or undefined. Rejects with `store_unavailable`. */
  at(position: number): Promise<LoggedFact | undefined>
  close(): Promise<void>
}
