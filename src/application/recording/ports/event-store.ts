import type { StoredFact } from '../../facts/stored-fact.js'

export interface Append {
  /** The name of the stream: any non-empty well-formed text without NUL, compared exactly. */
  readonly stream: string
  /**
   * The expected state of the stream:
   * - `new`: the stream has no fact.
   * - `existing`: the stream has at least one fact.
   * - `stored`: the append only looks up the facts that are stored under `key`, and writes nothing.
   * - `first`: the append only looks up the stream's first fact, without a key, and writes nothing.
   */
  readonly expected: 'new' | 'existing' | 'stored' | 'first'
  /** The facts to store. An append that expects `stored` needs none. */
  readonly facts: readonly StoredFact[]
  /**
   * The idempotency key: a SHA-256 in 64 hex digits. As long as the store keeps the key, a repeated
   * append stores nothing.
   */
  readonly key?: string
  /**
   * The time at which the request arrived, on the clock of `performance.now`. When absent, the time
   * of the append. A store may rely on facts of the stream that it has read since that time.
   */
  readonly cameAt?: number | undefined
}

export interface Receipt {
  /**
   * The position of the last fact of the append: a unique decimal number as text. The positions of
   * one store grow in commit order and may have gaps.
   */
  readonly position: string
  /** The facts as they are stored. For a repeated append, the facts of the first append. */
  readonly facts: readonly StoredFact[]
  /**
   * True when the facts were already stored, under `key` or as the stream's first fact. In this
   * case, the append wrote nothing.
   */
  readonly replayed: boolean
}

/**
 * The store of facts.
 *
 * `append` is atomic and durable. When it resolves, all of its facts survive a crash of the process
 * and of the machine. The in-memory store loses its facts when the process ends. An append that is
 * sent after another append has resolved gets a higher position. Concurrent appends are stored in
 * any order. `append` settles within the store's time-out.
 *
 * If the stream already contains facts with the idempotency key of the append, `append` writes
 * nothing. It resolves with the facts that are stored under the key, whatever `expected` is. A
 * repeated append that arrives while the first append is in progress waits for the first append.
 * After the lifetime of the key, a repeated append is a new append. The lifetime depends on the
 * store:
 *
 * - SQLite: at least 24 hours, at present for ever.
 * - EventStoreDB, `existing`, with a read model: for ever. The append is refused with
 * `store_unavailable` if the read model does not answer and the stream has more than 1,000 facts.
 * - EventStoreDB, `existing`, without a read model: while the facts are among the latest 1,000
 * facts of the stream. For ever if they are the first facts of the stream.
 * - EventStoreDB, `new`: only if the facts are the first facts of the stream. Otherwise the append
 * is refused with `stream_exists`.
 * - memory: until the process ends.
 *
 * Rejects with:
 *
 * - `stream_exists`: `new` was expected, but the stream has facts. Nothing was written.
 * - `stream_removed`: `new` was expected, but the stream was removed for good. Nothing was written.
 * Only stores whose streams can be removed reject with it.
 * - `stream_missing`: `existing` or `first` was expected, but the stream has no facts. Nothing was
 * written. A store whose readers lag behind its writers retries `first` for a while.
 * - `not_stored`: `stored` was expected, but no facts were found under the key. The key is looked
 * up as for `existing`.
 * - `append_too_large`: the append exceeds the limits in `append-limits.ts`. Nothing was written.
 * - `store_unavailable`, `overloaded`: certainly nothing was written.
 * - `outcome_unknown`: the facts may be stored, or may be stored a little later.
 */
export interface EventStore {
  append(append: Append): Promise<Receipt>
}

export interface StoreHealth {
  /** Resolves when the store works. Rejects with `store_unavailable` if the store does not respond in time. */
  check(): Promise<void>
}

export interface StoreTime {
  /**
   * Requests a reply from the store and resolves with the reply's date, in milliseconds since 1970.
   * The date has whole seconds and changes once a second. When the store replied, its clock was
   * therefore 0 to 2 seconds ahead of the date. Rejects when no reply arrives within about a
   * second.
   */
  dateOfReply(): Promise<number>
}
