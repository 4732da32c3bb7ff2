import { setImmediate as immediate } from 'node:timers/promises'
import type { InPieces } from '../domain/in-pieces.js'
import { Semaphore, type Release } from './semaphore.js'

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

  /** The thread, for a piece of work that does not wait. To be released as soon as that is done. */
  take(owner: string): Release | Promise<Release> {
    if (this.semaphore.isIdle && this.hasTime()) return nothing
    const taken = this.semaphore.take(owner, patience)
    return typeof taken === 'function' && this.hasTime() ? taken : this.whenThereIsTime(taken)
  }

  async run<T>(owner: string, work: InPieces<T>): Promise<T> {
    for (;;) {
      const taken = this.take(owner)
      const release = typeof taken === 'function' ? taken : await taken
      try {
        const step = this.advance(work)
        if (step.done === true) return step.value
      } finally {
        release()
      }
    }
  }

  /** Works until the turn is over. */
  private advance<T>(work: InPieces<T>): IteratorResult<undefined, T> {
    let step = work.next()
    while (step.done !== true && this.hasTime()) step = work.next()
    return step
  }

  private async whenThereIsTime(taken: Release | Promise<Release>): Promise<Release> {
    const release = await taken
    while (!this.hasTime()) await this.turn?.ended
    return release
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

/** Nobody else comes before the piece of work is done. */
const nothing: Release = () => undefined

/** Long work is bounded by its size before it comes here. */
const patience = { waitMs: Infinity }
