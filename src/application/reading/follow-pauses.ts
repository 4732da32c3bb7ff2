import { StoreUnavailable } from '../ports/store-errors.js'
import { NotThere } from './log-errors.js'

const minPauseMs = 100
const maxPauseMs = 5_000

/** The longest pause while the store is away, and the one after each time that it lacks the checkpoint. */
const storePauseMs = 500

/** How long it rests before the log is followed again, in milliseconds: longer each time. */
export class FollowPauses {
  private nextMs = minPauseMs

  /** The next pause. */
  take(): number {
    const pauseMs = this.nextMs
    this.nextMs = Math.min(pauseMs * 2, maxPauseMs)
    return pauseMs
  }

  /** Something came: the next pause is the shortest. */
  progressed(): void {
    this.nextMs = minPauseMs
  }

  /** Following failed. While the store is away the pauses stay short: reads are to be right soon after. */
  failed(error: unknown): void {
    if (error instanceof NotThere) this.nextMs = storePauseMs
    else if (error instanceof StoreUnavailable) this.nextMs = Math.min(this.nextMs, storePauseMs)
  }
}
