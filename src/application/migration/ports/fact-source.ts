import type { FactLog } from '../../facts/ports/fact-log.js'

/** What a store has of erased persons beside the facts. */
export interface ErasedPersons {
  /** How many have facts that are still to be removed. */
  readonly unfinished: number
  /** How many ids cannot be used again. */
  readonly suppressed: number
}

/** A store as a copy reads it. Nobody else is expected to write to it meanwhile. */
export interface FactSource {
  /** It may reject with `CopyRefused` as well, when it finds what cannot be copied as it is. */
  readonly log: FactLog
  /**
   * The streams that were removed from the store, as of now: the log may still have their facts, which
   * nobody is to get any more. Rejects with `store_unavailable`, and with `CopyRefused` when a stream
   * has lost its beginning alone.
   */
  removed(): Promise<ReadonlySet<string>>
  /** Of those whose streams are copied. Rejects with `store_unavailable`. */
  erased(): Promise<ErasedPersons>
  /** Lets the store go. */
  close(): Promise<void>
}
