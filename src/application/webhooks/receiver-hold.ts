import { BackOff } from '../background-loop.js'
import { longestMs, shortestMs } from './lanes.js'

/** The longest time that a receiver can ask to wait, in milliseconds. */
const maxRetryAfterMs = 3_600_000

/**
 * Delays a whole webhook while its receiver cannot be reached or asks to wait. All times are on one clock,
 * except `since`.
 */
export class ReceiverHold {
  private readonly backOff = new BackOff(shortestMs, longestMs)
  private held:
    | { readonly since: string; readonly setAt: number; readonly until: number }
    | undefined

  /** The time at which the hold began, as a timestamp. Undefined while there is no hold. */
  get since(): string | undefined {
    return this.held?.since
  }

  /** The time before which nothing is sent. 0 while there is no hold. */
  get until(): number {
    return this.held?.until ?? 0
  }

  /** Whether only one request may be sent at a time, to find out whether the receiver works again. */
  get isProbing(): boolean {
    return this.held !== undefined
  }

  /**
   * Begins or prolongs the hold after a failed request. `retryAfterMs` is the time that the receiver asks to
   * wait. `jitter` changes a backoff by a random part. If the request began before the present hold, the hold
   * is not prolonged, because the request failed for the same reason.
   */
  hold(failed: {
    readonly begun: number
    readonly now: number
    readonly timestamp: string
    readonly retryAfterMs: number | undefined
    readonly jitter: (pauseMs: number) => number
  }): void {
    const { begun, now, timestamp, retryAfterMs, jitter } = failed
    if (this.held !== undefined && begun <= this.held.setAt) return
    const waitMs =
      retryAfterMs === undefined
        ? jitter(this.backOff.take())
        : Math.min(maxRetryAfterMs, Math.max(shortestMs, retryAfterMs))
    this.held = { since: this.held?.since ?? timestamp, setAt: now, until: now + waitMs }
  }

  /** Ends the hold after a reply. */
  release(): void {
    this.held = undefined
    this.backOff.reset()
  }
}
