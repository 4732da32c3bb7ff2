import { setImmediate } from 'node:timers/promises'
import type { LoggedFact, LogPage } from '../../../application/facts/ports/fact-log.js'

/** Facts, or characters of their text. */
export interface Amount {
  readonly facts: number
  readonly characters: number
}

export interface QueueLimits {
  /** The queue is full from this on. */
  readonly full: Amount
  /** The most that a page has; one fact it may have whatever its size. */
  readonly page: Amount
}

/** Facts between a log that gives them one by one and a reader that takes them in pages. */
export class PageQueue {
  private facts: LoggedFact[] = []
  private characters = 0
  /** What the last page said. */
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

  /** No fact of ours lies between the last one pushed and this position. */
  rise(position: number): void {
    this.reached = Math.max(this.reached, position)
    this.wakeReader()
  }

  /** Nothing more comes: the reader gets the error, after all that came before. */
  fail(error: unknown): void {
    this.failure ??= { error }
    this.wakeReader()
    this.wakeWriter()
  }

  /** Resolves when the queue is not full, or has failed. */
  async room(): Promise<void> {
    while (this.isFull && this.failure === undefined) {
      await new Promise<void>((resolve) => {
        this.wakeWriter = resolve
      })
    }
  }

  /** Everything that is here, as soon as something is. Rejects with what the queue failed with. */
  async next(): Promise<LogPage> {
    while (this.facts.length === 0 && this.reached === this.delivered) {
      if (this.failure !== undefined) throw this.failure.error
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve
      })
    }
    // What came in one go makes one page, also for a reader that never waits for anything else.
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
    // What was reached lies behind the facts that are still here.
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
