import { BackOff, type Pause } from '../background-loop.js'
import type { Log } from '../ports/log.js'
import { isRefused, Refusal } from '../ports/refusal.js'
import { isUnreadable } from '../facts/stored-fact.js'

export interface RunnerOptions {
  readonly log: Log
  /** How long to wait so that single facts are applied together, in milliseconds. */
  readonly gatherMs: number
  readonly pause: Pause
}

/** The longest pause while the store is unavailable, and the pause after the store lacked the checkpoint. */
const storePauseMs = 500

/** The backoff between attempts to follow the log, in milliseconds. */
export class FollowPauses {
  private readonly backOff = new BackOff(100, 5_000)

  take(): number {
    return this.backOff.take()
  }

  progressed(): void {
    this.backOff.reset()
  }

  /**
   * Records a failure. While the store is unavailable the pauses stay short, so that reads recover soon
   * after.
   */
  failed(error: unknown): void {
    const { backOff } = this
    if (error instanceof NotThere) backOff.nextMs = storePauseMs
    else if (isRefused(error, 'store_unavailable')) {
      backOff.nextMs = Math.min(backOff.nextMs, storePauseMs)
    }
  }
}

/** Whether an error comes from the log: the store does not answer, or a fact cannot be read. */
export function isOfLog(error: unknown): boolean {
  return isRefused(error, 'store_unavailable') || isUnreadable(error)
}

/** The store has no fact at the checkpoint. Its readers may lag its writers. */
export class NotThere extends Refusal {
  constructor(message: string) {
    super('store_unavailable', message)
  }
}
