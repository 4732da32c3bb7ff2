import { BackOff, type Pause } from '../background-loop.js'
import type { Log } from '../ports/log.js'
import { isRefused, Refusal } from '../ports/refusal.js'
import { isUnreadable } from '../facts/stored-fact.js'

export interface RunnerOptions {
  readonly log: Log
  /** The pause after a small page, in milliseconds. More facts arrive during the pause and are applied together. */
  readonly gatherMs: number
  readonly pause: Pause
}

/**
 * The longest pause while the store is unavailable, in milliseconds. Also the pause after the store lacked
 * the fact at the stored position.
 */
const storePauseMs = 500

/** The backoff between attempts to follow the fact log. */
export class FollowPauses {
  private readonly backOff = new BackOff(100, 5_000)

  take(): number {
    return this.backOff.take()
  }

  progressed(): void {
    this.backOff.reset()
  }

  /**
   * Records a failure, which determines the next pause. While the store is unavailable, the pauses stay
   * short, so that queries work again soon after the store does.
   */
  failed(error: unknown): void {
    const { backOff } = this
    if (error instanceof NotThere) backOff.nextMs = storePauseMs
    else if (isRefused(error, 'store_unavailable')) {
      backOff.nextMs = Math.min(backOff.nextMs, storePauseMs)
    }
  }
}

/** Returns whether an error comes from the fact log: the store does not respond, or a fact cannot be read. */
export function isOfLog(error: unknown): boolean {
  return isRefused(error, 'store_unavailable') || isUnreadable(error)
}

/** The store has no fact at the stored position. In some stores, a reader may lag the writers for a moment. */
export class NotThere extends Refusal {
  constructor(message: string) {
    super('store_unavailable', message)
  }
}
