import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Refusal } from '../../../application/ports/refusal.js'
import type { Answer } from '../client/answer.js'
import type { KeyLookup } from './find-key.js'
import type { RecordedFact, ReadRange } from './connection.js'

/** The store as the algorithms of keyed appends see it: one stream, until one deadline. */
export interface StreamAccess {
  /** `expected`: the exact revision of the stream's head, or that it has no facts. Never throws. */
  append(expected: bigint | 'no_stream', facts: readonly StoredFact[]): Promise<Answer>
  /**
   * Undefined when the stream is missing. Throws when the store did not answer, and `StreamErased` of one that
   * was removed for good, where persons are erased.
   */
  read(range: ReadRange): Promise<readonly RecordedFact[] | undefined>
  /** Finds a key in the read model, of whatever age. Never throws. */
  findKey(key: string): Promise<KeyLookup>
  /** Why nothing is appended to a stream that was removed for good: `StreamErased`, or this. */
  removed(code: 'stream_removed' | 'stream_missing'): Refusal
  timeIsUp(): boolean
  /** Waits a little, longer each time, and never beyond the deadline. */
  pause(): Promise<void>
}
