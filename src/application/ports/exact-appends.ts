import type { StoredFact } from '../facts/stored-fact.js'

/** The expected revision of an append to a stream without facts. The first fact of a stream has revision 0. */
export const noRevision = -1

export const maxExactFacts = 200

export interface ExactAppend {
  /** The name of a stream that `isExactStream` accepts. Only appends at an expected revision write to such a stream. */
  readonly stream: string
  /** The expected revision of the stream's last fact, or `noRevision` for a stream without facts. */
  readonly revision: number
  /** 1 to `maxExactFacts` facts, without idempotency keys. Each new attempt must use new ids. */
  readonly facts: readonly StoredFact[]
}

export interface ExactReceipt {
  readonly position: string
  readonly revision: number
}

/**
 * Appends at an expected revision. Use such appends for facts that several processes derive and
 * that a stream must contain only once. The facts are stored only if the stream's last fact has the
 * expected revision. There are no idempotency keys, and a store never repeats an append by itself.
 *
 * `appendAt` is atomic and durable, and settles in time, like `EventStore.append`. The facts get
 * consecutive revisions after the expected revision. If several processes append at one revision,
 * only one append is stored.
 *
 * Rejects with:
 * - `WrongRevision`: the stream's last fact has another revision. Nothing was written.
 * - `stream_removed`: the stream was removed or has lost its first facts, and cannot be used again.
 * Nothing was written. Only stores whose streams can be removed reject with it. Such a store may
 * still accept an append at the revision of the last fact.
 * - `append_too_large`: the append exceeds the limits in `append-limits.ts`. Nothing was written.
 * - `store_unavailable`, `overloaded`, `clock_untrusted`: certainly nothing was written.
 * - `outcome_unknown`: the facts may be stored now or a little later. Read the stream to find out.
 * If the read does not find the facts, they may still be stored later: append again at the same
 * expected revision to settle the outcome.
 */
export interface ExactAppends {
  appendAt(append: ExactAppend): Promise<ExactReceipt>
}

export interface StreamFact extends StoredFact {
  /** The index of the fact in its stream: 0, 1, 2, … */
  readonly revision: number
  readonly position: number
}

/**
 * Reads the streams that are written with appends at an expected revision. Returns the facts that
 * the store's leader has.
 */
export interface StreamReader {
  /**
   * Returns one page of the stream's facts, starting at revision `from`, in revision order and
   * without a gap. The page is empty when the stream has no such facts. The next page begins after
   * the last fact of the page.
   *
   * Rejects with `store_unavailable` within the store's time-out. Rejects with `stream_removed`
   * when the stream was removed or has lost its first facts.
   */
  readStream(stream: string, from: number): Promise<readonly StreamFact[]>
}

/** Reads the end of the streams that are written with appends at an expected revision. */
export interface LastFactReader {
  /**
   * Returns the last fact of the stream, or undefined when the stream has no facts. Rejects like
   * `readStream`.
   */
  readLast(stream: string): Promise<StreamFact | undefined>
}
