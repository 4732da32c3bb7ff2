import { BackgroundLoop, type Pause } from './background-loop.js'
import type { Clock } from './ports/clock-and-ids.js'
import type { ExactAppend, ExactAppends, ExactReceipt } from './ports/exact-appends.js'
import { reasonOf, type Log } from './ports/log.js'
import { WrongRevision } from './ports/refusal.js'

export interface ExactAppendLoopParts {
  readonly store: ExactAppends
  readonly clock: Clock
  readonly log: Log
  readonly pause: Pause
  /** Returns a number from 0 to 1. */
  readonly random: () => number
}

/** The result of a round. `overtaken` means that another process appended first, or that the round failed. */
export type Outcome = 'nothing' | 'appended' | 'overtaken'

interface Rounds {
  /** Returns the time until the next round, in milliseconds. 0 when a round is due. */
  readonly sleepMs: () => number
  /** Appends the facts that are due. If it rejects, the outcome is `overtaken`. */
  readonly round: () => Promise<Outcome>
  /** Returns whether a rejection of `round` is logged. */
  readonly isFailure: (error: unknown) => boolean
  /** The log message of a failure. */
  readonly failure: string
}

/** The shortest pause after a failure or an overtaken append, in milliseconds. The longest pause is twice as long. */
const minPoliteMs = 500

/**
 * Appends facts of this process in the background, at expected revisions. Several processes may run such a loop
 * for one stream. When another process appends first, the append fails and is not retried: the next round
 * decides again. After such an append or a failure, the loop pauses for a random time, so that processes with
 * equal facts do not collide again.
 */
export class ExactAppendLoop {
  private readonly loop: BackgroundLoop
  /** The end of the current pause, in milliseconds since 1970. 0 while no pause runs. */
  private wakesAt = 0
  private lastFailure: string | undefined

  constructor(
    private readonly parts: ExactAppendLoopParts,
    private readonly rounds: Rounds,
  ) {
    this.loop = new BackgroundLoop(parts.pause)
  }

  /** The signal that `stop` aborts. */
  get signal(): AbortSignal {
    return this.loop.signal
  }

  /** Starts the loop. Call it once. */
  start(): void {
    this.loop.start(() => this.step())
  }

  /** Ends the current pause early if the next round is due before the end of the pause. */
  wakeIfDue(): void {
    if (this.now() + this.rounds.sleepMs() < this.wakesAt) this.loop.wake()
  }

  /** Stops the loop. Resolves after the running round. */
  stop(): Promise<void> {
    return this.loop.stop()
  }

  /** Appends once. Returns undefined when another process has appended to the stream first. */
  async append(append: ExactAppend): Promise<ExactReceipt | undefined> {
    try {
      return await this.parts.store.appendAt(append)
    } catch (error) {
      if (error instanceof WrongRevision) return undefined
      throw error
    }
  }

  /** Runs one round. Returns the pause until the next step, in milliseconds. */
  private async step(): Promise<number> {
    this.wakesAt = 0
    const sleepMs = this.rounds.sleepMs()
    if (sleepMs > 0) {
      this.wakesAt = this.now() + sleepMs
      return sleepMs
    }
    const outcome = await this.roundUnlessItFails()
    const isDone = outcome === 'appended' || (outcome === 'nothing' && this.rounds.sleepMs() > 0)
    return isDone ? 0 : minPoliteMs + this.parts.random() * minPoliteMs
  }

  private async roundUnlessItFails(): Promise<Outcome> {
    try {
      const outcome = await this.rounds.round()
      this.lastFailure = undefined
      return outcome
    } catch (error) {
      if (this.rounds.isFailure(error)) this.logFailure(error)
      return 'overtaken'
    }
  }

  /** Logs a failure, unless the previous failure had the same reason. */
  private logFailure(error: unknown): void {
    const reason = reasonOf(error)
    if (reason !== this.lastFailure) this.parts.log.warn({ reason }, this.rounds.failure)
    this.lastFailure = reason
  }

  private now(): number {
    return this.parts.clock.now().getTime()
  }
}
