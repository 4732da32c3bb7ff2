import type { ServedSegment } from './service.js'

export interface ComparisonTimes {
  /** Between two comparisons. */
  readonly everyMs: number
  /** How long the facts of changes may take to come. */
  readonly patienceMs: number
  /** Milliseconds that only grow. */
  readonly now: () => number
}

/** When to ask again after an answer that did not come. */
const putOffMs = 5_000

/**
 * Holds the digest of the service against that of the mirror. The service's covers changes that are not
 * told yet. They are told in the order in which they happened, so a mirror that is right has exactly this
 * digest at some point of what comes.
 */
export class Comparison {
  private asked: (ServedSegment & { readonly since: number }) | undefined
  private dueAt = -Infinity

  constructor(private readonly times: ComparisonTimes) {}

  /** Whether the service is to be asked. */
  get isDue(): boolean {
    return this.asked === undefined && this.times.now() >= this.dueAt
  }

  /** What the service has answered; undefined while none is waited for. */
  get expected(): ServedSegment | undefined {
    return this.asked
  }

  expect(served: ServedSegment): void {
    this.asked = { ...served, since: this.times.now() }
  }

  /** A fact before the position of the answer: the time for those that are still to come begins there. */
  followedTo(position: bigint): void {
    if (this.asked !== undefined && position < this.asked.position) this.expect(this.asked)
  }

  /** `open`: it may become equal yet. */
  verdict(digest: string): 'equal' | 'differs' | 'open' {
    if (this.asked === undefined) return 'open'
    if (digest === this.asked.digest) return 'equal'
    return this.times.now() - this.asked.since >= this.times.patienceMs ? 'differs' : 'open'
  }

  /** Until the next comparison. */
  done(): void {
    this.next(this.times.everyMs)
  }

  putOff(): void {
    this.next(putOffMs)
  }

  /** What was asked does not hold any more. */
  startAgain(): void {
    this.next(0)
  }

  private next(afterMs: number): void {
    this.asked = undefined
    this.dueAt = this.times.now() + afterMs
  }
}
