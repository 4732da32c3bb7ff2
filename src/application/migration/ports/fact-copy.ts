import type { FactLog } from '../../facts/ports/fact-log.js'
import type { StoredFact } from '../../facts/stored-fact.js'

type CopyStep = 'looking' | 'checking' | 'copying' | 'comparing'

export interface CopyProgress {
  begin(step: CopyStep): void
  /** `facts` more are done, and `share` of the step, from 0 to 1. */
  done(facts: number, share: number): void
  end(): void
}

/** The copy cannot be made, or not go on. The message says why and what to do, for people. */
export class CopyRefused extends Error {
  readonly code = 'copy_refused'
  override readonly name = 'CopyRefused'
}

/** What to do about a target that holds what it should not, for a message. */
export const beginAgain = 'begin again with an empty store'

/** What a store has of erased entities beside the facts. */
export interface ErasedPersons {
  /** How many have facts that are still to be removed. */
  readonly unfinished: number
  /** How many ids cannot be used again. */
  readonly suppressed: number
}

/** A store as a copy reads it. Nothing writes to it meanwhile. */
export interface FactSource {
  readonly log: FactLog
  erased(): Promise<ErasedPersons>
  close(): Promise<void>
}

/** Facts of one stream that were appended together. */
export interface FactRun {
  readonly stream: string
  /** The idempotency key that they were stored under: 64 hex digits. */
  readonly key: string | undefined
  readonly facts: readonly StoredFact[]
}

/** A store as a copy writes it and reads it back. Nothing else is expected to write to it meanwhile. */
export interface FactTarget {
  readonly log: FactLog
  /**
   * Throws `CopyRefused` when a stream was deleted or has lost its beginning: the log may still give those
   * facts. Throws `store_unavailable`. Absent of a store whose log gives only what the store holds.
   */
  assertWhole?(): Promise<void>
  /**
   * Throws `CopyRefused`, which names the fact, unless the store takes each run as it is; stores nothing.
   * Throws `store_unavailable` when the store stays away. Absent of a store that takes every run.
   */
  assertTakes?(runs: readonly FactRun[]): Promise<void>
  /**
   * Appends the runs after all facts of the store, with their ids and texts unchanged. Each run is stored
   * as a whole and with its key, and positions grow in the order given. Call it with the next runs once it has
   * resolved. A process that ends meanwhile leaves the first runs without a gap, or a store that the next
   * copy refuses.
   *
   * Throws `store_unavailable` when the store stays away, and `CopyRefused` when it does not take a run
   * as it is, or not in this order.
   */
  append(runs: readonly FactRun[]): Promise<void>
  /**
   * Takes the erasures of the source: whose facts are to be removed, and which ids cannot be used again. To be
   * called when all facts are copied; it can be repeated. Throws `CopyRefused` when the target has other
   * erasures. Absent of a store that cannot take them.
   */
  takeErased?(source: FactSource): Promise<void>
  /** Lets the store go; what was appended is durable then. */
  close(): Promise<void>
}
