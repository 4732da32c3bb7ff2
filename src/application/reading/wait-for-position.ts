import type { LogHead } from '../facts/ports/fact-log.js'
import { PositionUnknown, ReadModelBehind } from './errors.js'
import { isOfLog } from './log-errors.js'
import { Waiters } from './waiters.js'

/** How often a wait asks where the log ends, in milliseconds. */
const headEveryMs = 100

export interface WaitParts {
  /** Where the log ends, as the store says. */
  readonly head: () => Promise<LogHead>
  readonly isReached: (position: number) => boolean
  /** The position of the last fact that was applied. */
  readonly applied: () => number
  /** Resolves after so many milliseconds, or as soon as the signal is given. Never rejects. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Waits until everything up to a position is applied. */
export class WaitForPosition {
  private readonly waiters = new Waiters()
  private readonly givingUp = new AbortController()
  private asking: Promise<LogHead> | undefined

  constructor(private readonly parts: WaitParts) {}

  /** Nobody waits. */
  get isEmpty(): boolean {
    return this.waiters.isEmpty
  }

  /** Everything up to here is applied. */
  reached(position: number): void {
    this.waiters.reached(position)
  }

  /** Nothing more is applied: all who wait get `ReadModelBehind`. */
  giveUp(): void {
    this.givingUp.abort()
    this.waiters.wakeAll()
  }

  /**
   * `head`: what the store has when it is first asked. `dueAt`: in milliseconds, as `performance.now`
   * counts them. Rejects with `PositionUnknown` when the store says throughout that it has not come so
   * far, else with `ReadModelBehind`.
   */
  async until(position: number | 'head', dueAt: number): Promise<void> {
    const isKnown =
      position === 'head' ? await this.untilHead(dueAt) : await this.untilPosition(position, dueAt)
    if (!isKnown) throw new ReadModelBehind(this.parts.applied())
  }

  private async untilHead(dueAt: number): Promise<boolean> {
    while (this.left(dueAt) > 0) {
      const head = await this.headWithin(this.left(dueAt), this.parts.head())
      if (head !== undefined) return this.waitFor(head.newest, this.left(dueAt))
    }
    return false
  }

  /** A position that is no fact of ours is reached with the last fact before it. */
  private async untilPosition(position: number, dueAt: number): Promise<boolean> {
    let wanted = position
    let isBeyond = true
    for (;;) {
      if (await this.waitFor(wanted, Math.min(this.left(dueAt), headEveryMs))) return true
      const head = await this.headWithin(this.left(dueAt), this.latestHead())
      const isKnown = head !== undefined && position <= head.end
      wanted = isKnown ? Math.min(position, head.newest) : position
      isBeyond &&= head !== undefined && !isKnown
      if (this.left(dueAt) > 0) continue
      if (isBeyond) throw new PositionUnknown(this.parts.applied())
      return this.parts.isReached(wanted)
    }
  }

  /** One question for all who wait for a position: what it says need not be newer than their request. */
  private latestHead(): Promise<LogHead> {
    this.asking ??= this.parts.head().finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  private left(dueAt: number): number {
    return this.givingUp.signal.aborted ? 0 : Math.max(0, dueAt - performance.now())
  }

  private waitFor(position: number, milliseconds: number): Promise<boolean> {
    if (this.parts.isReached(position)) return Promise.resolve(true)
    return this.waiters.wait(position, milliseconds)
  }

  /** Undefined when the store does not say in time; after a moment when it is away. */
  private async headWithin(
    milliseconds: number,
    head: Promise<LogHead>,
  ): Promise<LogHead | undefined> {
    const asked = new AbortController()
    try {
      return await Promise.race([head, this.silence(milliseconds, asked.signal)])
    } catch (error) {
      if (!isOfLog(error)) throw error
      await this.silence(Math.min(milliseconds, headEveryMs), this.givingUp.signal)
      return undefined
    } finally {
      asked.abort()
    }
  }

  private async silence(milliseconds: number, signal: AbortSignal): Promise<undefined> {
    await this.parts.pause(milliseconds, signal)
    return undefined
  }
}
