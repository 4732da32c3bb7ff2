import type { FactLog } from '../../facts/ports/fact-log.js'
import type { StoredFact } from '../../facts/stored-fact.js'

type CopyStep = 'looking' | 'checking' | 'copying' | 'comparing'

export interface CopyProgress {
  begin(step: CopyStep): void
  /** Reports `facts` more finished facts. `share` is the finished share of the step, from 0 to 1. */
  done(facts: number, share: number): void
  end(): void
}

/**
 * Thrown when the copy cannot start or continue. The message tells people the reason and what to
 * do.
 */
export class CopyRefused extends Error {
  readonly code = 'copy_refused'
  override readonly name = 'CopyRefused'
}

/** The advice in messages about a target with unexpected contents. */
export const beginAgain = 'begin again with an empty store'

/** The numbers of a store's erased entities. */
export interface ErasedCounts {
  /** The number of erased entities whose facts are still to be removed. */
  readonly unfinished: number
  /** The number of erased ids that must not be reused. */
  readonly suppressed: number
}

/** The store that a copy reads. No program may write to this store during the copy. */
export interface FactSource {
  readonly log: FactLog
  erased(): Promise<ErasedCounts>
  close(): Promise<void>
}

/** Facts of one stream that were appended together. */
export interface FactRun {
  readonly stream: string
  /** The idempotency key of the append: 64 hex digits. */
  readonly key: string | undefined
  readonly facts: readonly StoredFact[]
}

/** The store that a copy writes and reads back. No other program should write to this store during the copy. */
export interface FactTarget {
  readonly log: FactLog
  /**
   * Throws `CopyRefused` when a stream was deleted or has lost its first facts. The fact log may
   * still return these facts, so reading the fact log is not enough to detect the loss. Throws
   * `store_unavailable`. Undefined for a store whose fact log returns only existing facts.
   */
  assertWhole?(): Promise<void>
  /**
   * Checks whether the store accepts each run unchanged, without storing the runs. Throws
   * `CopyRefused` with a message that names a fact that the store does not accept. Throws
   * `store_unavailable` when the store does not respond. Undefined for a store that accepts every
   * run.
   */
  assertTakes?(runs: readonly FactRun[]): Promise<void>
  /**
   * Appends the runs after all facts of the store, with unchanged ids and texts. Each run is stored
   * completely and with its idempotency key. Positions increase in the given order. Call `append`
   * again only after it has resolved.
   *
   * If the process ends during a call, the target must contain the first of these runs, without a
   * gap. Otherwise the next copy refuses the target.
   *
   * Throws `store_unavailable` when the store does not respond. Throws `CopyRefused` when the store
   * does not accept a run unchanged or in this order.
   */
  append(runs: readonly FactRun[]): Promise<void>
  /**
   * Copies the erasures of the source: the entities whose facts still have to be removed, and the
   * ids that must not be reused. Call it after all facts are copied. A repeated call changes
   * nothing. Throws `CopyRefused` when the target has other erasures. Undefined for a store that
   * cannot record erasures.
   */
  takeErased?(source: FactSource): Promise<void>
  /** Closes the store. All appended facts are then durable. */
  close(): Promise<void>
}
