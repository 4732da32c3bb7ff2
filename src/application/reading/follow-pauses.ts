import { BackOff, type Pause } from '../background-loop.js'
import type { Log } from '../ports/log.js'
import { isRefused, Refusal } from '../ports/refusal.js'
import { isUnreadable } from '../facts/stored-fact.js'

export interface RunnerOptions {
  readonly log: Log
  /**
   * The pause after a small page, in milliseconds. Facts that arrive during the pause are applied
   * together.
   */
  readonly gatherMs: number
  readonly pause: Pause
}

/**
 * The longest pause while the store is unavailable, in milliseconds. It is also the pause after the
 * store had no fact at the stored position.
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
   * Records a failure, which determines the next pause. Keeps the pauses short while the store is
   * unavailable, so that queries work again soon after the store works again.
   */
  failed(error: unknown): void {
    const { backOff } = this
    if (error instanceof NotThere) backOff.nextMs = storePauseMs
    else if (isRefused(error, 'store_unavailable')) {
      backOff.nextMs = Math.min(backOff.nextMs, storePauseMs)
    }
  }
}

/** Returns whether an error comes from the fact log: the store does not respond, or a fact is unreadable. */
export function isOfLog(error: unknown): boolean {
  return isRefused(error, 'store_unavailable') || isUnreadable(error)
}

/** Thrown when the store has no fact at the stored position. In some stores, readers may briefly lag behind writers. */
export class NotThere extends Refusal {
  constructor(message: string) {
    super('store_unavailable', message)
  }
}
