import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import type {
  Append,
  EventStore,
  Receipt,
} from '../../src/application/recording/ports/event-store.js'

/** A store whose facts can be read in the order of their positions. */
export class LoggedStore implements EventStore {
  readonly facts: LoggedFact[] = []
  private listener: () => void = () => undefined

  constructor(private readonly store: EventStore) {}

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

  /** As if another process had stored it. */
  add(stream: string, position: number, fact: StoredFact): void {
    this.facts.push({ ...fact, stream, position })
    this.listener()
  }

  /** Of the last fact. */
  get newest(): number {
    return this.facts.at(-1)?.position ?? 0
  }

  whenStored(listener: () => void): void {
    this.listener = listener
  }
}
