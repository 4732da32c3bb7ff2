import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import type {
  ExactAppend,
  ExactAppends,
  ExactReceipt,
  StreamFact,
  StreamReader,
} from '../../src/application/ports/exact-appends.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type {
  Append,
  EventStore,
  Receipt,
} from '../../src/application/recording/ports/event-store.js'

/** A store whose facts can be read in position order. */
export class LoggedStore implements EventStore, ExactAppends, StreamReader {
  readonly facts: LoggedFact[] = []
  private listener: () => void = () => undefined

  /** `exact` is the same store, through its port for appends at an expected revision. */
  constructor(
    private store: EventStore,
    private exact: ExactAppends & StreamReader = new MemoryEventStore(),
  ) {}

  /** Continues over an empty store. */
  reset(store: MemoryEventStore): void {
    this.store = store
    this.exact = store
    this.facts.length = 0
  }

  async append(append: Append): Promise<Receipt> {
    const receipt = await this.store.append(append)
    if (receipt.replayed) return receipt
    const first = Number(receipt.position) - append.facts.length + 1
    for (const [index, fact] of append.facts.entries()) {
      this.facts.push({ ...fact, stream: append.stream, position: first + index })
    }
    this.listener()
    return receipt
  }

  async appendAt(append: ExactAppend): Promise<ExactReceipt> {
    const receipt = await this.exact.appendAt(append)
    const first = Number(receipt.position) - append.facts.length + 1
    for (const [index, fact] of append.facts.entries()) {
      this.facts.push({ ...fact, stream: append.stream, position: first + index })
    }
    this.listener()
    return receipt
  }

  readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    return this.exact.readStream(stream, from)
  }

  /** Adds a fact as if another process had stored it. */
  add(stream: string, position: number, fact: StoredFact): void {
    this.facts.push({ ...fact, stream, position })
    this.listener()
  }

  /** The position of the last fact. */
  get newest(): number {
    return this.facts.at(-1)?.position ?? 0
  }

  whenStored(listener: () => void): void {
    this.listener = listener
  }
}
