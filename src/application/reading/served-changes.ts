import { isRefused } from '../ports/refusal.js'

/** Those who wait for a segment that is being built. */
export class ServedChanges {
  private readonly waiting = new Set<Waiter>()

  /** `count`: how often other segments were served than before. */
  constructor(private readonly count: () => number) {}

  /**
   * Tries again what failed because a segment is being built, and then whenever other segments are
   * served, until `dueAt`, on the clock of `performance.now`. Rejects with what the last attempt rejects
   * with; with `failure`, where that has another reason.
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
          this.count() > before || (left > 0 && (await this.isNextIn(left, before)))
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

  /** True as soon as it is; false after the milliseconds, or when it is given up. */
  private isNextIn(milliseconds: number, before: number): Promise<boolean> {
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
