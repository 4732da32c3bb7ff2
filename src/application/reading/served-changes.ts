import { isRefused } from '../ports/refusal.js'

/** Retries queries about a segment whose first backfill is not complete. */
export class ServedChanges {
  private readonly waiting = new Set<Waiter>()

  /**
   * `count` returns the number of changes so far. Changes of the set of segments count, and changes
   * of the segment versions that queries use.
   */
  constructor(private readonly count: () => number) {}

  /**
   * Retries a query that failed with `building`, at once and after each change that `count`
   * reports. Stops at `dueAt` (on the clock of `performance.now`), and rejects with the error of
   * the last attempt. If `failure` has another code, rejects with `failure` at once.
   */
  async retry<T>(failure: unknown, attempt: () => Promise<T>, dueAt: number): Promise<T> {
    if (!isRefused(failure, 'building')) throw failure
    for (;;) {
      const before = this.count()
      try {
        return await attempt()
      } catch (error) {
        if (!isRefused(error, 'building')) throw error
        const left = dueAt - performance.now()
        const hasChanged =
          this.count() > before || (left > 0 && (await this.waitForChange(left, before)))
        if (!hasChanged) throw error
      }
    }
  }

  resumeWaiters(): void {
    const count = this.count()
    for (const waiter of this.waiting) if (count > waiter.before) waiter.end(true)
  }

  giveUp(): void {
    for (const waiter of this.waiting) waiter.end(false)
  }

  /** Resolves with true after the next change. Resolves with false after the milliseconds, or after `giveUp`. */
  private waitForChange(milliseconds: number, before: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        before,
        end: (hasChanged) => {
          clearTimeout(timer)
          this.waiting.delete(waiter)
          resolve(hasChanged)
        },
      }
      const timer = setTimeout(waiter.end, milliseconds, false)
      this.waiting.add(waiter)
    })
  }
}

interface Waiter {
  readonly before: number
  readonly end: (hasChanged: boolean) => void
}
