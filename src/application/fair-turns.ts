import { setImmediate as immediate } from 'node:timers/promises'
import type { InPieces } from '../domain/in-pieces.js'
import { Semaphore } from './semaphore.js'

/** How long long work takes in one turn of the event loop, in milliseconds. */
const turnMs = 5

interface Turn {
  /** On the clock of `now`. */
  readonly endsAt: number
  readonly ended: Promise<void>
}

/**
 * Shares a thread between owners whose work is long: all of them together work for some milliseconds in a
 * turn of the event loop, and everything else runs before the next turn. Owners are served round-robin,
 * however many pieces of work one of them has.
 */
export class FairTurns {
  private readonly semaphore = new Semaphore({ most: 1, queued: Infinity })
  private turn: Turn | undefined

  /** `nextTurn` resolves in the next turn of the event loop. */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly nextTurn: () => Promise<unknown> = immediate,
  ) {}

  /** Runs `begin` when its owner has the thread. What it goes on to wait for holds up nobody. */
  begin<T>(owner: string, begin: () => T | Promise<T>): T | Promise<T> {
    return this.isFree() ? begin() : this.beginInTurn(owner, begin)
  }

  async run<T>(owner: string, work: InPieces<T>): Promise<T> {
    if (this.isFree()) {
      const step = this.advance(work)
      if (step.done === true) return step.value
    }
    let taken = this.semaphore.take(owner, patience)
    for (;;) {
      const release = await taken
      try {
        await this.nextTime()
        const step = this.advance(work)
        if (step.done === true) return step.value
        // Before the thread is given back: an owner that does not wait would come after all that do.
        taken = this.semaphore.take(owner, patience)
      } finally {
        release()
      }
    }
  }

  private async beginInTurn<T>(owner: string, begin: () => T | Promise<T>): Promise<T> {
    const release = await this.semaphore.take(owner, patience)
    let begun: T | Promise<T>
    try {
      await this.nextTime()
      begun = begin()
    } finally {
      release()
    }
    return begun
  }

  /** Works until the turn is over. */
  private advance<T>(work: InPieces<T>): IteratorResult<undefined, T> {
    let step = work.next()
    while (step.done !== true && this.hasTime()) step = work.next()
    return step
  }

  private isFree(): boolean {
    return this.semaphore.isIdle && this.hasTime()
  }

  private async nextTime(): Promise<void> {
    while (!this.hasTime()) await this.turn?.ended
  }

  private hasTime(): boolean {
    this.turn ??= this.beginTurn()
    return this.now() < this.turn.endsAt
  }

  private beginTurn(): Turn {
    const ended = this.nextTurn().then(() => {
      this.turn = undefined
    })
    return { endsAt: this.now() + turnMs, ended }
  }
}

/** Long work is bounded by its size before it comes here. */
const patience = { waitMs: Infinity }
