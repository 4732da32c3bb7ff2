import type { StoredFact } from '../stored-fact.js'

export interface LoggedFact extends StoredFact {
  readonly stream: string
  /** Its place in the whole store: a whole number above 0, as `Receipt.position` says it in text. */
  readonly position: number
  /** The position of the first fact of its stream, where the store has that at hand. */
  readonly streamStart?: number
}

/** The next facts of a log, which may be none. */
export interface LogPage {
  /** In the order of their positions. */
  readonly facts: readonly LoggedFact[]
  /** No fact of ours lies between the last of `facts` and here. At least the position of the last. */
  readonly reached: number
}

export interface LogHead {
  /** No fact of ours lies between here and `end`. 0 when there is none. */
  readonly newest: number
  /** No position lies beyond it. A store that others write to has positions that are no facts of ours. */
  readonly end: number
}

/**
 * All facts of ours, in the order of their positions: those in the streams that `isOurStream` names
 * and of the types in the table of facts. What else a store holds is passed over.
 */
export interface FactLog {
  /**
   * The facts after a position, a page at a time, and then each page as it comes to be stored. A fact
   * comes once, after all facts of lower positions. Facts of one append may come in two pages.
   *
   * It ends when the signal is given, and with `store_unavailable` when the store does not answer or
   * breaks it off, which some do to a slow reader: follow again after the last fact that was taken. It
   * does not look whether the store knows `after`: call `at` and `head` first.
   */
  follow(after: number, signal: AbortSignal): AsyncIterable<LogPage>
  /**
   * A fact acknowledged before the call lies at `newest` or below. Rejects with
   * `store_unavailable`.
   */
  head(): Promise<LogHead>
  /** The fact of ours at a position; undefined when there is none. Rejects with `store_unavailable`. */
  at(position: number): Promise<LoggedFact | undefined>
  close(): Promise<void>
}
