import { assertAppendable } from '../../application/recording/append-limits.js'
import type { StoredFact } from '../../application/facts/stored-fact.js'
import type { Append, EventStore, Receipt } from '../../application/recording/ports/event-store.js'
import {
  StoreUnavailable,
  StreamExists,
  StreamMissing,
} from '../../application/recording/ports/store-errors.js'
import type { StoreHealth } from '../../application/recording/ports/store-health.js'

interface KeptStream {
  readonly facts: StoredFact[]
  readonly receipts: Map<string, Receipt>
}

/** Facts in the memory of this process: gone when it ends. For tests and for trying things out. */
export class MemoryEventStore implements EventStore, StoreHealth {
  private readonly streams = new Map<string, KeptStream>()
  private position = 0
  private closed = false

  append(append: Append): Promise<Receipt> {
    return new Promise((resolve) => {
      assertAppendable(append)
      if (this.closed) throw closedError()
      resolve(this.write(append))
    })
  }

  /** The facts of one stream, oldest first. */
  read(stream: string): readonly StoredFact[] {
    return [...(this.streams.get(stream)?.facts ?? [])]
  }

  check(): Promise<void> {
    return this.closed ? Promise.reject(closedError()) : Promise.resolve()
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }

  private write({ stream, expected, facts, key }: Append): Receipt {
    const kept = this.streams.get(stream)
    const stored = key === undefined ? undefined : kept?.receipts.get(key)
    if (stored !== undefined) return { ...stored, replayed: true }
    if (expected === 'new' && kept !== undefined) throw new StreamExists('the stream exists')
    if (expected === 'existing' && kept === undefined)
      throw new StreamMissing('the stream is missing')
    const target = kept ?? { facts: [], receipts: new Map<string, Receipt>() }
    this.streams.set(stream, target)
    target.facts.push(...facts)
    this.position += facts.length
    const receipt = { position: String(this.position), facts: [...facts], replayed: false }
    if (key !== undefined) target.receipts.set(key, receipt)
    return receipt
  }
}

function closedError(): StoreUnavailable {
  return new StoreUnavailable('the store is closed')
}
