import type { StoredFact } from '../../facts/stored-fact.js'
import type { FactSource } from './fact-source.js'

/** Facts that were appended together. */
export interface FactRun {
  /** The idempotency key that they were stored under: 64 hex digits. */
  readonly key: string | undefined
  readonly facts: readonly StoredFact[]
}

/** A store as a copy writes it; it can be read back. */
export interface FactTarget extends FactSource {
  /** How many facts a stream has; 0 when it is missing. */
  length(stream: string): Promise<number>
  /**
   * Appends to a stream that has exactly `place` facts: all of it or nothing, ids and text as they
   * are, and the store's index of keys with them. The same append once more, after a process that
   * ended in the middle of it, stores nothing twice. Throws `CopyRefused` when the stream has another
   * number of facts, or a fact that the store could not give back as it was.
   */
  append(stream: string, place: number, runs: readonly FactRun[]): Promise<void>
  /** Lets the store go; what was appended is durable then. */
  close(): Promise<void>
}
