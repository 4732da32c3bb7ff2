import type { CommitMeasurements } from '../../ports/commit-observer.js'
import { isBusy, isDiskFull } from '../../file/driver.js'
import type { EraseResponse, Outcome } from './protocol.js'

/**
 * The outcome of one append. The outcome depends on stored facts up to the position `restsOn`, and it is valid
 * only if these facts are durable.
 */
export interface Decided {
  readonly outcome: Outcome
  readonly restsOn: number
}

/** The result of writing one group of appends. */
export interface WrittenGroup extends Pick<CommitMeasurements, 'facts' | 'seconds'> {
  /** The outcome of each append, in the order of the appends. */
  readonly outcomes: readonly Outcome[]
  /** The estimated number of WAL pages that the group wrote. */
  readonly logPages: number
}

/** The result of one request of an erasure. */
export interface ErasedStep {
  readonly response: EraseResponse
  /** The estimated number of WAL pages that the request wrote. */
  readonly logPages: number
}

/** A failed transaction. If `kind` is `unknown`, the transaction may be stored nevertheless. */
export interface WriteFailure {
  readonly kind: 'unavailable' | 'unknown'
  readonly reason: string
}

export function unanswered(): never {
  throw new TypeError('a stored group lacks the outcome of one of its appends')
}

/**
 * Returns whether the error says that the disk is full or that another connection holds the lock. Reads before such
 * an error were correct, and a COMMIT that failed with such an error stored nothing. A COMMIT that failed for
 * another reason, such as a failed flush, may leave the group's frames in the WAL. SQLite may recover these frames
 * after a crash.
 */
export function isFullOrLocked(error: unknown): boolean {
  return isBusy(error) || isDiskFull(error)
}
