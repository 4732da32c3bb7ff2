import type { StoredFact } from '../facts/stored-fact.js'

/** What an append at a stream without facts expects. The first fact of a stream has revision 0. */
export const noRevision = -1

export const maxExactFacts = 200

export interface ExactAppend {
  /** One that `isExactStream` names: nothing else writes to it. */
  readonly stream: string
  /** The revision of the stream's last fact; `noRevision` when it has none. */
  readonly revision: number
  /** 1 to `maxExactFacts`, without keys. Another attempt brings them under other ids. */
  readonly facts: readonly StoredFact[]
}

export interface ExactReceipt {
  readonly position: string
  readonly revision: number
}

/**
 * Facts that several processes derive, each of which the stream is to hold once: they go in only behind
 * the revision that their writer knows. Exactness comes from the revision alone: there are no keys, and
 * nothing is sent twice.
 *
 * `appendAt` is atomic, durable and in time as `EventStore.append`. The facts get the revisions behind
 * the expected one, without a gap. Of appends at one revision one is stored.
 *
 * Rejects with
 * - `WrongRevision` — the stream's last fact has another revision; nothing was written
 * - `stream_removed` — the stream was removed, or has lost its beginning, and is not new again; nothing was
 *   written. Only of stores whose streams can be removed, which may take an append at the revision of
 *   the last fact all the same
 * - `append_too_large` — beyond the limits of `append-limits.ts`; nothing was written
 * - `store_unavailable`, `overloaded`, `clock_untrusted` — certainly nothing was written
 * - `outcome_unknown` — it may or may not have been written, now or a little later: read the stream. That
 *   it is not there yet proves nothing; another append at the same revision decides
 */
export interface ExactAppends {
  appendAt(append: ExactAppend): Promise<ExactReceipt>
}

export interface StreamFact extends StoredFact {
  /** Its place in its stream: 0, 1, 2, … */
  readonly revision: number
  readonly position: number
}

/** Reads the streams that are appended to at exact revisions, as the store's leader has them. */
export interface StreamReader {
  /**
   * Facts from a revision on, in their order and without a gap: a page of them, or none where the stream
   * ends or is missing. The next page begins behind the last fact of this one.
   *
   * Rejects with `store_unavailable`, within the store's time-out, and with `stream_removed` where the
   * stream was removed or has lost facts of its beginning.
   */
  readStream(stream: string, from: number): Promise<readonly StreamFact[]>
}
