import { reasonOf } from '../client/answer.js'
import type { Incoming } from './incoming-events.js'
import { factIn } from './fact-in.js'
import { positionOf, type LogEvent } from './read-response.js'
import { HandlerFailed, Stopped, type Position } from './subscription-errors.js'
import type { Interruption, SubscriptionOptions } from './subscription-options.js'

/** Hands what comes to the caller's functions, one at a time, and knows how far that has come. */
export class Processing {
  private last: Position | undefined
  private passed = 0

  constructor(private readonly options: SubscriptionOptions) {
    this.last = options.after
  }

  get position(): Position | undefined {
    return this.last
  }

  get passedOver(): number {
    return this.passed
  }

  /** Throws `HandlerFailed` and what `factIn` throws; the position then stays. */
  async take(incoming: Incoming): Promise<void> {
    switch (incoming.kind) {
      case 'event':
        await this.process(incoming.event)
        return
      case 'checkpoint':
        await this.passCheckpoint(incoming.position)
        return
      case 'caught_up':
        await this.call(() => this.options.caughtUp?.())
    }
  }

  async tellOfBreak(interruption: Interruption): Promise<void> {
    await this.call(() => this.options.interrupted?.(interruption))
  }

  private async process(event: LogEvent): Promise<void> {
    const { id, type, stream } = event
    const position = positionOf(event)
    const fact = factIn(event)
    if (fact === undefined) {
      await this.call(() => this.options.passedOver?.({ id, type, stream, position }))
      this.passed += 1
    } else {
      await this.call(() => this.options.handle(fact, position))
    }
    this.last = position
  }

  private async passCheckpoint(position: Position): Promise<void> {
    if (this.last !== undefined && position.commit <= this.last.commit) return
    await this.call(() => this.options.reached?.(position))
    this.last = position
  }

  private async call(work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (cause) {
      // A handler that was given the signal as well may end by throwing: that is the stop.
      if (this.options.signal.aborted) throw new Stopped('stopped', { cause })
      throw new HandlerFailed(`a handler threw: ${reasonOf(cause)}`, { cause })
    }
  }
}
