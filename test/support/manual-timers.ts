import type { StreamTimers } from '../../src/adapters/http/feed/open-streams.js'

interface Repeated {
  readonly milliseconds: number
  readonly work: () => void
  next: number
}

/** Time that passes when it is told to. */
export class ManualTimers implements StreamTimers {
  private time = 0
  private readonly repeated = new Set<Repeated>()
  /** What `random` gives. */
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

  /** How much is repeated. */
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
