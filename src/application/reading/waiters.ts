/** Those who wait until everything up to a position is applied. */
export class Waiters {
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

  /** Everything up to here is applied. */
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
