import type { CommitMeasurements } from '../../ports/commit-observer.js'
import { isBusy, isDiskFull } from '../../file/driver.js'
import type { EraseResponse, Outcome } from './protocol.js'

/** An outcome, and the highest position that must be durable for the outcome to be true. */
export interface Decided {
  readonly outcome: Outcome
  readonly restsOn: number
}

/** The result of writing a group of appends. */
export interface WrittenGroup extends Pick<CommitMeasurements, 'facts' | 'seconds'> {
  /** The outcome of each append, in the order of the appends. */
  readonly outcomes: readonly Outcome[]
  /** Estimated WAL pages that the group wrote. */
  readonly logPages: number
}

/** The result of one erasure step. */
export interface ErasedStep {
  readonly response: EraseResponse
  /** Estimated WAL pages that the step wrote. */
  readonly logPages: number
}

/** The reason why a transaction failed. */
export interface WriteFailure {
  readonly kind: 'unavailable' | 'unknown'
  readonly reason: string
}

export function unanswered(): never {
  throw new TypeError('a group without a failure has an answer for each of its appends')
}

/**
 * Returns whether the disk is full or another connection holds the lock. Reads were then correct, and the
 * failed COMMIT stored nothing. After any other failed COMMIT (such as a failed flush) the WAL may contain
 * the frames, and a crash could restore them.
 */
export function isFullOrLocked(error: unknown): boolean {
  return isBusy(error) || isDiskFull(error)
}
