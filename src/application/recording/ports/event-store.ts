import type { StoredFact } from '../../facts/stored-fact.js'

export interface Append {
  /** Any non-empty well-formed text without NUL. Compared exactly. */
  readonly stream: string
  /**
   * The expected state of the stream:
   * - `new`: the stream has no fact.
   * - `existing`: the stream has at least one fact.
   * - `stored`: finds the facts stored under `key`. Writes nothing.
   * - `first`: finds the stream's first fact, without a key. Writes nothing.
   */
  readonly expected: 'new' | 'existing' | 'stored' | 'first'
  readonly facts: readonly StoredFact[]
  /**
   * The SHA-256 of the idempotency key, in 64 hex digits. The append happens once while the store keeps the
   * key.
   */
  readonly key?: string
  /**
   * When the request came, as `performance.now` counts; now unless said otherwise. A store may decide by
   * what it has seen of the stream since then.
   */
  readonly cameAt?: number | undefined
}

export interface Receipt {
  /**
   * The position of the append's last fact: a decimal string, unique, and growing in commit order within one
   * store. Gaps are normal.
   */
  readonly position: string
  /** The facts as stored. For a repeat, the facts of the first append. */
  readonly facts: readonly StoredFact[]
  /**
   * True when the facts were stored earlier, under `key` or as the stream's first fact. Nothing was written
   * now.
   */
  readonly replayed: boolean
}

/**
 * The store of facts.
 *
 * `append` is atomic and durable. When it resolves, all of its facts survive a crash of the process and of
 * the machine. Facts of the in-memory store end with the process. An append that is sent after another append
 * has resolved lands after it. Concurrent appends land in any order. `append` settles within the store's
 * time-out.
 *
 * With a key that the stream already holds, `append` writes nothing and resolves with the facts stored under
 * the key, whatever `expected` is. A repeat that arrives while the first append runs waits for it. A repeat
 * after the key's lifetime is a new append. The lifetime depends on the store:
 *
 * - SQLite: at least 24 hours, today for ever.
 * - EventStoreDB, `existing`, with a read model: for ever. If the read model does not answer and the stream
 *   has
 *   more than 1,000 facts, the append is refused with `store_unavailable`.
 * - EventStoreDB, `existing`, without a read model: while the facts are among the stream's latest 1,000. For
 *   ever if they began the stream.
 * - EventStoreDB, `new`: only if the facts began the stream. Otherwise the append is refused with
 *   `stream_exists`.
 * - memory: until the process ends.
 *
 * Rejects with:
 *
 * - `stream_exists`: `new`, but the stream has facts. Nothing was written.
 * - `stream_removed`: `new`, but the stream was removed for good. Nothing was written. Only from stores whose
 *   streams can be removed.
 * - `stream_missing`: `existing` or `first`, but the stream has no facts. Nothing was written. A store whose
 *   readers lag its writers retries `first` for a while.
 * - `not_stored`: `stored`, but nothing was found under the key, where keys are looked up as for `existing`.
 * - `append_too_large`: beyond the limits of `append-limits.ts`. Nothing was written.
 * - `store_unavailable`, `overloaded`: certainly nothing was written.
 * - `outcome_unknown`: the append may have been written, or may still be written a little later.
 */
export interface EventStore {
  append(append: Append): Promise<Receipt>
}

export interface StoreHealth {
  /** Rejects with `store_unavailable` when the store does not answer within its time-out. */
  check(): Promise<void>
}

export interface StoreTime {
  /**
   * Requests a reply and resolves with its date, in milliseconds since 1970. The date has whole seconds and
   * is renewed once a second: when the store replied, its clock was 0 to 2 seconds after the date. Rejects
   * when no reply comes within about a second.
   */
  dateOfReply(): Promise<number>
}
