import { setImmediate as immediate } from 'node:timers/promises'
import type { InPieces } from '../domain/in-pieces.js'
import { Semaphore } from './semaphore.js'

/** The time that all owners together may use in one turn of the event loop, in milliseconds. */
const turnMs = 5

interface Turn {
  /**
   * The end of the owners' time in this turn of the event loop, in milliseconds on the clock of
   * `now`.
   */
  readonly endsAt: number
  readonly ended: Promise<void>
}

/**
 * Shares one thread between owners of long work. In each turn of the event loop, all owners
 * together may run for a few milliseconds. Other work runs before the next turn. Owners are served
 * round-robin, so an owner with much work gets no larger share.
 */
export class FairTurns {
  private readonly semaphore = new Semaphore({ most: 1, queued: Infinity })
  private turn: Turn | undefined

  /** `nextTurn` resolves in the next turn of the event loop. */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly nextTurn: () => Promise<unknown> = immediate,
  ) {}

  /**
   * Calls `begin` when the owner may run, and returns the result of `begin`. Other owners may run
   * as soon as `begin` returns, even if the returned promise is pending.
   */
  begin<T>(owner: string, begin: () => T | Promise<T>): T | Promise<T> {
    return this.isFree() ? begin() : this.beginInTurn(owner, begin)
  }

  /**
   * Runs all pieces of `work`, in as many turns of the event loop as they need. Resolves with the
   * result of `work`.
   */
  async run<T>(owner: string, work: InPieces<T>): Promise<T> {
    if (this.isFree()) {
      const step = this.advance(work)
      if (step.done === true) return step.value
    }
    let taken = this.semaphore.take(owner, patience)
    for (;;) {
      const release = await taken
      try {
        await this.waitForTime()
        const step = this.advance(work)
        if (step.done === true) return step.value
        // Queues this owner again before its permit is released. In the opposite order, this owner
        // would have to wait for all other owners twice.
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
      await this.waitForTime()
      begun = begin()
    } finally {
      release()
    }
    return begun
  }

  /** Runs pieces of `work` until the owners' time in this turn of the event loop is over. */
  private advance<T>(work: InPieces<T>): IteratorResult<undefined, T> {
    let step = work.next()
    while (step.done !== true && this.hasTime()) step = work.next()
    return step
  }

  private isFree(): boolean {
    return this.semaphore.isIdle && this.hasTime()
  }

  private async waitForTime(): Promise<void> {
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

/** Owners wait without a time limit, because callers limit the amount of work. */
const patience = { waitMs: Infinity }
