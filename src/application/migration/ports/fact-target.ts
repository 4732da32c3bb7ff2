import type { StoredFact } from '../../facts/stored-fact.js'
import type { FactSource } from './fact-source.js'

/** Facts of one stream that were appended together. */
export interface FactRun {
  readonly stream: string
  /** The idempotency key that they were stored under: 64 hex digits. */
  readonly key: string | undefined
  readonly facts: readonly StoredFact[]
}

/** A store as a copy writes it; it can be read back. */
export interface FactTarget extends FactSource {
  /**
   * Appends behind everything that the store holds, ids and text as they are: each run as a whole and
   * with its key, and their positions grow in the order given. To be called with the next runs when it
   * has resolved. A process that ends meanwhile leaves the first runs, and never one without those
   * before it unless the store says so at the next look.
   *
   * Throws `store_unavailable` when the store stays away, and `CopyRefused` when it does not take a run
   * as it is, or not in this order.
   */
  append(runs: readonly FactRun[]): Promise<void>
  /** Whether `takeErased` takes what this source has of erased persons. */
  takesErased(source: FactSource): boolean
  /**
   * Takes what the source has of erased persons: whose facts are to be removed, and which ids cannot be used
   * again. To be called when all facts are copied; it can be repeated. Throws `CopyRefused` where the target
   * has other ones.
   */
  takeErased(source: FactSource): Promise<void>
  /** Lets the store go; what was appended is durable then. */
  close(): Promise<void>
}
