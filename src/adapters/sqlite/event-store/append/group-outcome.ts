import type { CommitMeasurements } from '../../ports/commit-observer.js'
import { isBusy, isDiskFull } from '../../file/driver.js'
import type { EraseResponse, Outcome } from './protocol.js'

/** An answer, and the highest position that must be durable for it to be true. */
export interface Decided {
  readonly outcome: Outcome
  readonly restsOn: number
}

/** What became of a group of appends. */
export interface WrittenGroup extends Pick<CommitMeasurements, 'facts' | 'seconds'> {
  /** The outcome of each append, in their order. */
  readonly outcomes: readonly Outcome[]
  /** About how many pages of the log it took. */
  readonly logPages: number
}

/** What a step of an erasure came to. */
export interface ErasedStep {
  readonly response: EraseResponse
  /** About how many pages of the log it took. */
  readonly logPages: number
}

/** Why a transaction did not end well. */
export interface WriteFailure {
  readonly kind: 'unavailable' | 'unknown'
  readonly reason: string
}

export function unanswered(): never {
  throw new TypeError('a group without a failure has an answer for each of its appends')
}

/**
 * The disk has no room, or another connection holds the lock: nothing was read wrongly, and a COMMIT
 * that fails so has surely left nothing behind. After any other failed COMMIT (a flush that failed,
 * say) the frames may be in the log, and a crash now could bring them back.
 */
export function isFullOrLocked(error: unknown): boolean {
  return isBusy(error) || isDiskFull(error)
}
