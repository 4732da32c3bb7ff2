import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LoggedFact, LogPage } from '../../../application/facts/ports/fact-log.js'

/** So many facts, or so many characters of their text. */
export interface Amount {
  readonly facts: number
  readonly characters: number
}

/** Facts between a log that gives them one by one and a reader that takes them in pages. */
export class PageQueue {
  private facts: LoggedFact[] = []
  private characters = 0
  /** What the last page said. */
  private told: number
  private failure: { readonly error: unknown } | undefined
  private wakeReader: () => void = () => undefined
  private wakeWriter: () => void = () => undefined

  /** The queue is full from `full` on; a page has at least one fact and at most about `page`. */
  constructor(
    private reached: number,
    private readonly full: Amount,
    private readonly page: Amount,
  ) {
    this.told = reached
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
    for (;;) {
      if (this.facts.length > 0 || this.reached > this.told) {
        // What comes in the same turn belongs to the same page: a page each would cost more than its fact.
        await nextTurn()
        return this.take()
      }
      if (this.failure !== undefined) throw this.failure.error
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve
      })
    }
  }

  private get isFull(): boolean {
    return this.facts.length >= this.full.facts || this.characters >= this.full.characters
  }

  private take(): LogPage {
    const facts = this.facts.splice(0, this.fitting())
    for (const fact of facts) this.characters -= sizeOf(fact)
    const last = facts.at(-1)
    // What was reached lies behind the facts that are still here.
    this.told = last === undefined || this.facts.length === 0 ? this.reached : last.position
    this.wakeWriter()
    return { facts, reached: this.told }
  }

  private fitting(): number {
    let characters = 0
    const beyond = this.facts.findIndex((fact, index) => {
      characters += sizeOf(fact)
      return index >= this.page.facts || (index > 0 && characters > this.page.characters)
    })
    return beyond === -1 ? this.facts.length : beyond
  }
}

function sizeOf({ data, metadata }: LoggedFact): number {
  return data.length + metadata.length
}
