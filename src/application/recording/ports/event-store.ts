import type { StoredFact } from '../../facts/stored-fact.js'

export interface Append {
  /** Any non-empty well-formed text without NUL; stored and compared exactly. */
  readonly stream: string
  /**
   * `new`: no fact is in the stream yet. `existing`: at least one is. `stored`: what was stored under
   * `key` before; nothing is written now, whatever is found. `first`: the stream's first fact, without
   * a key; nothing is written either.
   */
  readonly expected: 'new' | 'existing' | 'stored' | 'first'
  readonly facts: readonly StoredFact[]
  /** SHA-256 in 64 hex digits: the append happens once under it, while the store finds it. */
  readonly key?: string
  /**
   * When the request came, as `performance.now` counts; now unless said otherwise. A store may decide by
   * what it has seen of the stream since then.
   */
  readonly cameAt?: number | undefined
}

export interface Receipt {
  /**
   * The place of the append's last fact in the whole store: a decimal string, unique and growing in
   * commit order within one store. Gaps are normal.
   */
  readonly position: string
  /** The facts as they are stored: of a replay those stored then, else those of this append. */
  readonly facts: readonly StoredFact[]
  /** True when they were stored before, under `key` or as the stream's first: nothing was written now. */
  readonly replayed: boolean
}

/**
 * Where facts are stored.
 *
 * `append` is atomic and durable: when it resolves, all of its facts survive a crash of the process
 * and of the machine (not in the in-memory store, whose facts end with the process). An append sent
 * after another's receipt lands after it; appends under way at the same time land in any order. It
 * settles within the store's time-out.
 *
 * With a key that the stream holds it writes nothing and resolves with what was stored then, whatever
 * `expected` says; a repeat that arrives while the first is under way waits for it. How long a key is
 * found depends on the store, and a later repeat is a new append:
 * - SQLite: at least 24 hours, today for ever
 * - EventStoreDB: under `existing` for ever where there is a read model, which refuses the append with
 *   `store_unavailable` when it does not answer and the stream has more than 1,000 facts; else while its
 *   facts are among the stream's latest 1,000, and for ever when they began the stream. Under `new` only
 *   when they began the stream, else `stream_exists`
 * - memory: until the process ends
 *
 * Rejects with
 * - `stream_exists` — `new`, but the stream has facts; nothing was written
 * - `stream_removed` — `new`, but the stream was removed for good; nothing was written. Only of stores
 *   whose streams can be removed
 * - `stream_missing` — `existing` or `first`, but the stream has none; nothing was written. A store whose
 *   readers see the beginning of a stream later than its writers looks for `first` again for a while
 * - `not_stored` — `stored`, but nothing is found under the key, as under `existing`; nothing was written
 * - `append_too_large` — beyond the limits of `append-limits.ts`; nothing was written
 * - `store_unavailable`, `overloaded` — certainly nothing was written
 * - `outcome_unknown` — it may or may not have been written, now or a little later
 */
export interface EventStore {
  append(append: Append): Promise<Receipt>
}

export interface StoreHealth {
  /** Rejects with `store_unavailable`, at the latest after the store's time-out. */
  check(): Promise<void>
}

export interface StoreTime {
  /**
   * Requests a reply, and resolves with its date in milliseconds since 1970. The date has whole seconds
   * and is renewed once a second: when the reply was made, the store's clock stood at it or less than
   * two seconds after it. Rejects when no reply comes in about a second.
   */
  dateOfReply(): Promise<number>
}
