import { isRefused } from '../ports/refusal.js'

/** Those who wait for a segment that is being built. */
export class ServedChanges {
  private readonly waiting = new Waiters()

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
        const hasChanged = this.count() > before || (await this.isNextIn(left, before))
        if (!hasChanged) throw error
      }
    }
  }

  look(): void {
    this.waiting.reached(this.count())
  }

  giveUp(): void {
    this.waiting.wakeAll()
  }

  private async isNextIn(leftMs: number, before: number): Promise<boolean> {
    return leftMs > 0 && (await this.waiting.wait(before + 1, leftMs))
  }
}

class Waiters {
  private readonly waiting = new Set<Waiter>()

  get isEmpty(): boolean {
    return this.waiting.size === 0
  }

  /** True as soon as the position is reached; false after the milliseconds, or when all are woken. */
  wait(position: number, milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        end: (isReached) => {
          clearTimeout(timer)
          this.waiting.delete(waiter)
          resolve(isReached)
        },
      }
      const timer = setTimeout(() => {
        waiter.end(false)
      }, milliseconds)
      this.waiting.add(waiter)
    })
  }

  reached(position: number): void {
    for (const waiter of this.waiting) if (waiter.position <= position) waiter.end(true)
  }

  wakeAll(): void {
    for (const waiter of this.waiting) waiter.end(false)
  }
}

interface Waiter {
  readonly position: number
  readonly end: (isReached: boolean) => void
}
