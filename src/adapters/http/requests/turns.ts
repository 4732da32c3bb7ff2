interface Waiting {
  readonly weight: number
  readonly begin: () => void
}

/**
 * Lets in as many at once as weigh no more than `most` together; the others wait, first come, first
 * served. One alone is never too heavy.
 */
export class Turns {
  private used = 0
  private readonly waiting = new Set<Waiting>()

  constructor(private readonly most: number) {}

  /** Runs `work` when there is room, or after `maxWaitMs`, and then without being counted. */
  async take<T>(weight: number, maxWaitMs: number, work: () => Promise<T>): Promise<T> {
    if (!(await this.begin(weight, maxWaitMs))) return work()
    try {
      return await work()
    } finally {
      this.used -= weight
      this.letIn()
    }
  }

  /** Whether it has a turn. */
  private begin(weight: number, maxWaitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting = {
        weight,
        begin: () => {
          clearTimeout(timer)
          resolve(true)
        },
      }
      const timer = setTimeout(() => {
        this.waiting.delete(waiting)
        resolve(false)
        this.letIn()
      }, maxWaitMs)
      this.waiting.add(waiting)
      this.letIn()
    })
  }

  private letIn(): void {
    for (const next of this.waiting) {
      if (this.used > 0 && this.used + next.weight > this.most) return
      this.used += next.weight
      this.waiting.delete(next)
      next.begin()
    }
  }
}
