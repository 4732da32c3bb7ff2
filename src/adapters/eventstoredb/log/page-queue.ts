import { setImmediate } from 'node:timers/promises'
import type { LoggedFact, LogPage } from '../../../application/facts/ports/fact-log.js'

/** A number of facts, and the number of characters in their text. */
export interface Amount {
  readonly facts: number
  readonly characters: number
}

export interface QueueLimits {
  /** The limits of the queue. The queue is full when it reaches either of them. */
  readonly full: Amount
  /** The maximum size of a page. A fact that is larger than this gets a page of its own. */
  readonly page: Amount
}

/** Buffers facts between a log that delivers single facts and a reader that reads pages. */
export class PageQueue {
  private facts: LoggedFact[] = []
  private characters = 0
  /** The position up to which pages were delivered. */
  private delivered: number
  private failure: { readonly error: unknown } | undefined
  private wakeReader: () => void = () => undefined
  private wakeWriter: () => void = () => undefined

  constructor(
    private reached: number,
    private readonly limits: QueueLimits,
  ) {
    this.delivered = reached
  }

  push(fact: LoggedFact): void {
    this.facts.push(fact)
    this.characters += sizeOf(fact)
    this.rise(fact.position)
  }

  /** Records that the log contains no further fact up to this position. */
  rise(position: number): void {
    this.reached = Math.max(this.reached, position)
    this.wakeReader()
  }

  /** Ends the queue. The reader first receives all buffered facts, then the error. */
  fail(error: unknown): void {
    this.failure ??= { error }
    this.wakeReader()
    this.wakeWriter()
  }

  /** Resolves when the queue has room or has failed. */
  async room(): Promise<void> {
    while (this.isFull && this.failure === undefined) {
      await new Promise<void>((resolve) => {
        this.wakeWriter = resolve
      })
    }
  }

  /**
   * Waits for a fact or a higher position, and returns the next page. When the queue is empty,
   * rejects with the error given to `fail`.
   */
  async next(): Promise<LogPage> {
    while (this.facts.length === 0 && this.reached === this.delivered) {
      if (this.failure !== undefined) throw this.failure.error
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve
      })
    }
    // Waits one tick, so that all facts of that tick join the page.
    await setImmediate()
    return this.take()
  }

  get isFull(): boolean {
    const { facts, characters } = this.limits.full
    return this.facts.length >= facts || this.characters >= characters
  }

  private take(): LogPage {
    const facts = this.facts.splice(0, this.fitting())
    for (const fact of facts) this.characters -= sizeOf(fact)
    const last = facts.at(-1)
    // Sets the position that the page ends at. While facts remain in the queue, this is the
    // position of the page's last fact.
    this.delivered = last === undefined || this.facts.length === 0 ? this.reached : last.position
    this.wakeWriter()
    return { facts, reached: this.delivered }
  }

  private fitting(): number {
    const { page } = this.limits
    let characters = 0
    const beyond = this.facts.findIndex((fact, index) => {
      characters += sizeOf(fact)
      return index >= page.facts || (index > 0 && characters > page.characters)
    })
    return beyond === -1 ? this.facts.length : beyond
  }
}

function sizeOf({ data, metadata }: LoggedFact): number {
  return data.length + metadata.length
}
