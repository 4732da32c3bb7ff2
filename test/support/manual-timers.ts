import type { StreamTimers } from '../../src/adapters/http/feed/open-streams.js'

interface Repeated {
  readonly milliseconds: number
  readonly work: () => void
  next: number
}

/** Timers whose time a test advances. */
export class ManualTimers implements StreamTimers {
  private time = 0
  private readonly repeated = new Set<Repeated>()
  /** The number that `random` returns. */
  chance = 0

  now(): number {
    return this.time
  }

  every(milliseconds: number, work: () => void): () => void {
    const one = { milliseconds, work, next: this.time + milliseconds }
    this.repeated.add(one)
    return () => this.repeated.delete(one)
  }

  random(): number {
    return this.chance
  }

  /** The number of running intervals. */
  get running(): number {
    return this.repeated.size
  }

  pass(milliseconds: number): void {
    const end = this.time + milliseconds
    for (;;) {
      const due = [...this.repeated].filter(({ next }) => next <= end)
      const [first] = due.sort((left, right) => left.next - right.next)
      if (first === undefined) break
      this.time = first.next
      first.next += first.milliseconds
      first.work()
    }
    this.time = end
  }
}
