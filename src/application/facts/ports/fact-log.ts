import type { StoredFact } from '../stored-fact.js'

export interface LoggedFact extends StoredFact {
  readonly stream: string
  /** The position of the fact in the store: a whole number above 0. `Receipt.position` is this number as text. */
  readonly position: number
  /** The position of the stream's first fact. Absent if the store would have to search for it. */
  readonly streamStart?: number
}

/** The next facts of the fact log. A page without facts still reports progress in `reached`. */
export interface LogPage {
  /** The facts of the page, in position order. */
  readonly facts: readonly LoggedFact[]
  /**
   * The position up to which this page covers the log: all facts of Dossier up to this position have been
   * delivered. `reached` is at least the position of the last fact in `facts`.
   */
  readonly reached: number
}

export interface LogHead {
  /** The position of the newest fact of Dossier, or a later position up to `end`. 0 when there is no fact. */
  readonly newest: number
  /** The highest position in the store. Data of another program that writes to the store may be at this position. */
  readonly end: number
}

/**
 * All facts of Dossier in position order: the facts of the types in `factTable`, in the streams that
 * `isOurStream` accepts. Other data in the store is skipped.
 */
export interface FactLog {
  /**
   * Yields pages of the facts after a position, and continues with new facts as they are stored. Delivers each
   * fact once, in position order. The facts of one append may be on two pages.
   *
   * Ends when the signal is aborted. Throws `store_unavailable` when the store does not respond or drops the
   * subscription. Some stores drop the subscription of a slow reader. To continue, call `follow` with the
   * position of the last received fact. `follow` does not check whether the store has a fact at `after`: call
   * `at` and `head` first.
   */
  follow(after: number, signal: AbortSignal): AsyncIterable<LogPage>
  /**
   * Returns the end of the fact log. Every fact that was acknowledged before the call has a position up to
   * `newest`. Rejects with `store_unavailable`.
   */
  head(): Promise<LogHead>
  /** Returns the fact of Dossier at a position, or undefined when there is none. Rejects with `store_unavailable`. */
  at(position: number): Promise<LoggedFact | undefined>
  close(): Promise<void>
}
