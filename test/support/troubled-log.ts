import { setImmediate as immediate } from 'node:timers/promises'
import type { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import type {
  FactLog,
  LoggedFact,
  LogHead,
  LogPage,
} from '../../src/application/facts/ports/fact-log.js'
import type { StreamFact, StreamReader } from '../../src/application/ports/exact-appends.js'
import { Refusal } from '../../src/application/ports/refusal.js'

/**
 * A fact log with injected faults: it can be unavailable, hold back facts, report positions of foreign events, and
 * be replaced by another log.
 */
export class TroubledLog implements FactLog, StreamReader {
  isAway = false
  /** The number of positions after the last fact of this product, taken by events of other programs. */
  foreign = 0
  asked = 0
  private held: Promise<void> | undefined
  private letGo: () => void = () => undefined
  private connection = new AbortController()

  /** `store` can be replaced during a test, like another store at the same address. */
  constructor(public store: MemoryEventStore) {}

  /** Breaks the connection of all followers. */
  cutOff(): void {
    this.connection.abort()
    this.connection = new AbortController()
  }

  hold(): void {
    this.held = new Promise((resolve) => {
      this.letGo = resolve
    })
  }

  release(): void {
    this.letGo()
    this.held = undefined
  }

  async *follow(after: number, signal: AbortSignal): AsyncIterable<LogPage> {
    const broken = this.connection.signal
    const either = AbortSignal.any([signal, broken])
    for await (const page of this.store.follow(after, either)) {
      await Promise.race([this.held, stopped(either)])
      this.assertThere()
      yield page
    }
    if (broken.aborted) throw away()
  }

  async head(): Promise<LogHead> {
    this.asked += 1
    await immediate()
    this.assertThere()
    const { newest } = await this.store.head()
    return { newest, end: newest + this.foreign }
  }

  at(position: number): Promise<LoggedFact | undefined> {
    return this.isAway ? Promise.reject(away()) : this.store.at(position)
  }

  readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    return this.isAway ? Promise.reject(away()) : this.store.readStream(stream, from)
  }

  close(): Promise<void> {
    this.release()
    return Promise.resolve()
  }

  private assertThere(): void {
    if (this.isAway) throw away()
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve()
    })
  })
}

function away(): Refusal {
  return new Refusal('store_unavailable', 'the store is away')
}
