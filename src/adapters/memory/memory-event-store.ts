import type { Erasable } from '../../application/erasing/ports/erasable.js'
import type {
  FactLog,
  LoggedFact,
  LogHead,
  LogPage,
} from '../../application/facts/ports/fact-log.js'
import { isOurs } from '../../application/facts/our-streams.js'
import {
  assertAppendable,
  assertAppendableAt,
  assertReadableFrom,
} from '../../application/recording/append-limits.js'
import type { StoredFact } from '../../application/facts/stored-fact.js'
import type {
  Append,
  EventStore,
  Receipt,
  StoreHealth,
} from '../../application/recording/ports/event-store.js'
import type {
  ExactAppend,
  ExactAppends,
  ExactReceipt,
  LastFactReader,
  StreamFact,
  StreamReader,
} from '../../application/ports/exact-appends.js'
import { Refusal, WrongRevision } from '../../application/ports/refusal.js'

export interface MemoryStream {
  readonly facts: LoggedFact[]
  /** The append results, by idempotency key. */
  readonly receipts: Map<string, Receipt>
}

/** The maximum number of facts in a page of the log. */
const maxFacts = 1_000

/**
 * Stores facts in the memory of this process, for tests and for trying the service. The facts are
 * lost when the process ends, and no entity can be erased.
 */
export class MemoryEventStore
  implements EventStore, ExactAppends, StreamReader, LastFactReader, StoreHealth, FactLog
{
  readonly erasable: Erasable | undefined = undefined
  readonly commitMemory = undefined
  readonly time = undefined
  protected readonly streams = new Map<string, MemoryStream>()
  /** All facts in position order: index 0 has the fact at position 1. */
  protected readonly facts: LoggedFact[] = []
  private readonly waiting = new Set<() => void>()
  private closed = false

  /** The fact log, which this object also implements. */
  get log(): this {
    return this
  }

  /** Does nothing, because the store keeps every idempotency key. */
  findKeysIn(): void {
    return undefined
  }

  append(append: Append): Promise<Receipt> {
    return this.whileOpen(() => {
      assertAppendable(append)
      return this.write(append)
    })
  }

  appendAt(append: ExactAppend): Promise<ExactReceipt> {
    return this.whileOpen(() => {
      assertAppendableAt(append)
      const stream = this.streams.get(append.stream) ?? emptyStream()
      const actual = stream.facts.length - 1
      if (append.revision !== actual) throw new WrongRevision(actual)
      const { position } = this.add(append, stream)
      return { position, revision: stream.facts.length - 1 }
    })
  }

  readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    return this.whileOpen(() => {
      assertReadableFrom(stream, from)
      const facts = this.streams.get(stream)?.facts ?? []
      return facts
        .slice(from, from + maxFacts)
        .map(({ stream: _stream, ...fact }, index) => ({ ...fact, revision: from + index }))
    })
  }

  async readLast(stream: string): Promise<StreamFact | undefined> {
    const last = (this.streams.get(stream)?.facts.length ?? 0) - 1
    const [fact] = await this.readStream(stream, Math.max(0, last))
    return fact
  }

  /** Returns the facts of one stream, oldest first. */
  read(stream: string): readonly StoredFact[] {
    const facts = this.streams.get(stream)?.facts ?? []
    return facts.map(({ stream: _stream, position: _position, ...fact }) => fact)
  }

  check(): Promise<void> {
    return this.whileOpen(() => undefined)
  }

  async *follow(after: number, signal: AbortSignal): AsyncIterable<LogPage> {
    let last = after
    while (!signal.aborted) {
      if (this.closed) throw closedError()
      const facts = this.facts.slice(last, last + maxFacts)
      if (facts.length === 0) {
        await this.change(signal)
        continue
      }
      last += facts.length
      yield { facts: facts.filter(isOurs), reached: last }
    }
  }

  head(): Promise<LogHead> {
    return this.whileOpen(() => ({ newest: this.facts.length, end: this.facts.length }))
  }

  at(position: number): Promise<LoggedFact | undefined> {
    return this.whileOpen(() => {
      const fact = this.facts[position - 1]
      return fact !== undefined && isOurs(fact) ? fact : undefined
    })
  }

  close(): Promise<void> {
    this.closed = true
    this.wakeAll()
    return Promise.resolve()
  }

  private whileOpen<T>(work: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.closed) throw closedError()
      resolve(work())
    })
  }

  /** Resolves after the next append, when the store closes, or when the signal is aborted. */
  private change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake)
        this.waiting.delete(wake)
        resolve()
      }
      this.waiting.add(wake)
      signal.addEventListener('abort', wake)
    })
  }

  private wakeAll(): void {
    for (const wake of this.waiting) wake()
  }

  protected write(append: Append): Receipt {
    const found = this.streams.get(append.stream)
    const stored = append.key === undefined ? undefined : found?.receipts.get(append.key)
    if (stored !== undefined) return { ...stored, replayed: true }
    if (append.expected === 'first') return receiptOfFirst(found)
    assertExpected(append, found !== undefined)
    return this.add(append, found ?? emptyStream())
  }

  protected add(
    { stream, facts, key }: Pick<Append, 'stream' | 'facts' | 'key'>,
    found: MemoryStream,
  ): Receipt {
    this.streams.set(stream, found)
    for (const fact of facts) {
      const logged = { ...fact, stream, position: this.facts.length + 1 }
      found.facts.push(logged)
      this.facts.push(logged)
    }
    const receipt = { position: String(this.facts.length), facts: [...facts], replayed: false }
    if (key !== undefined) found.receipts.set(key, receipt)
    this.wakeAll()
    return receipt
  }
}

function emptyStream(): MemoryStream {
  return { facts: [], receipts: new Map() }
}

function receiptOfFirst(found: MemoryStream | undefined): Receipt {
  const [first] = found?.facts ?? []
  if (first === undefined) throw new Refusal('stream_missing', 'the stream is missing')
  const { stream: _stream, position, ...fact } = first
  return { position: String(position), facts: [fact], replayed: true }
}

function assertExpected({ expected }: Append, exists: boolean): void {
  if (expected === 'stored') throw new Refusal('not_stored', 'nothing is stored under the key')
  if (expected === 'new' && exists) throw new Refusal('stream_exists', 'the stream exists')
  if (expected === 'existing' && !exists)
    throw new Refusal('stream_missing', 'the stream is missing')
}

function closedError(): Refusal {
  return new Refusal('store_unavailable', 'the store is closed')
}
