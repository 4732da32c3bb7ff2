import type { StoredFact } from '../../facts/stored-fact.js'

/** A look at everything that a store holds. */
export interface Survey {
  /** How many facts; of streams that were removed and found so, none. */
  readonly facts: number
  /** Where the newest of them is: an opaque text, another one when a fact was added. */
  readonly head: string
}

/**
 * A store as a copy reads it. Nobody else is expected to write to it meanwhile. Only the streams of
 * entities are in it: what a store keeps for itself is not.
 *
 * Every method throws `StoreUnavailable` when the store stays away, and `CopyRefused` when it finds
 * what cannot be copied as it is.
 */
export interface FactSource {
  survey(): Promise<Survey>
  /** The names of all streams, each once, in the order of their first facts. */
  streams(): AsyncIterable<string>
  /**
   * The facts of a stream in order, without the first `from`, in pages of about 1 MiB or one fact.
   * None when the stream is missing or was removed.
   */
  facts(stream: string, from: number): AsyncIterable<readonly StoredFact[]>
  /** Lets the store go. */
  close(): Promise<void>
}
