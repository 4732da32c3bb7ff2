import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Refusal } from '../../../application/ports/refusal.js'
import type { Answer } from '../client/answer.js'
import type { KeyLookup } from './find-key.js'
import type { RecordedFact, ReadRange } from './connection.js'

/** Operations on one stream that keyed appends need, all under one deadline. */
export interface StreamAccess {
  /**
   * Appends at the expected revision, or with `no_stream` to a stream without facts. Never throws.
   */
  append(expected: bigint | 'no_stream', facts: readonly StoredFact[]): Promise<Answer>
  /**
   * Reads facts. Returns undefined for a missing stream. Throws when the store does not answer. Throws
   * `StreamErased` for a tombstoned stream when erasing is enabled.
   */
  read(range: ReadRange): Promise<readonly RecordedFact[] | undefined>
  /** Looks up an idempotency key of any age in the read model. Never throws. */
  findKey(key: string): Promise<KeyLookup>
  /**
   * Returns the refusal of an append to a tombstoned stream: `StreamErased` when erasing is enabled, otherwise a
   * refusal with `code`.
   */
  removed(code: 'stream_removed' | 'stream_missing'): Refusal
  timeIsUp(): boolean
  /** Waits with backoff, at most until the deadline. */
  pause(): Promise<void>
}
