import { BackOff, type Pause } from '../background-loop.js'
import type { Log } from '../ports/log.js'
import { isRefused, Refusal } from '../ports/refusal.js'
import { isUnreadable } from '../facts/stored-fact.js'

export interface RunnerOptions {
  readonly log: Log
  /** How long facts that come one by one gather before they are applied, in milliseconds. */
  readonly gatherMs: number
  readonly pause: Pause
}

/** The longest pause while the store is away, and the one after each time that it lacks the checkpoint. */
const storePauseMs = 500

/** How long it rests before the log is followed again, in milliseconds: longer each time. */
export class FollowPauses {
  private readonly backOff = new BackOff(100, 5_000)

  take(): number {
    return this.backOff.take()
  }

  progressed(): void {
    this.backOff.reset()
  }

  /** Following failed. While the store is away the pauses stay short: reads are to be right soon after. */
  failed(error: unknown): void {
    const { backOff } = this
    if (error instanceof NotThere) backOff.nextMs = storePauseMs
    else if (isRefused(error, 'store_unavailable')) {
      backOff.nextMs = Math.min(backOff.nextMs, storePauseMs)
    }
  }
}

/** What a log gives up with: the store does not answer, or a fact in it cannot be read. */
export function isOfLog(error: unknown): boolean {
  return isRefused(error, 'store_unavailable') || isUnreadable(error)
}

/** The store has nothing at the checkpoint: it may show its end a little late. */
export class NotThere extends Refusal {
  constructor(message: string) {
    super('store_unavailable', message)
  }
}
