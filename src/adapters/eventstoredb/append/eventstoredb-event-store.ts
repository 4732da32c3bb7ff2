import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { NO_STREAM, type AppendExpectedRevision } from '@eventstore/db-client'
import { BackOff } from '../../../application/background-loop.js'
import {
  assertAppendable,
  assertAppendableAt,
  assertReadableFrom,
} from '../../../application/recording/append-limits.js'
import type {
  ExactAppend,
  ExactAppends,
  ExactReceipt,
  StreamFact,
  StreamReader,
} from '../../../application/ports/exact-appends.js'
import type {
  Append,
  EventStore,
  Receipt,
  StoreHealth,
  StoreTime,
} from '../../../application/recording/ports/event-store.js'
import type { Log } from '../../../application/ports/log.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { ReadModel } from '../../../application/reading/ports/read-model.js'
import { Refusal } from '../../../application/ports/refusal.js'
import { reasonOf, type Answer } from '../client/answer.js'
import type { ConnectionUrl } from '../client/connection-url.js'
import { Connection } from './connection.js'
import { appendAt, readStream, type ExactAccess } from './exact-stream.js'
import { findKeyIn, type FindKey } from './find-key.js'
import { readFirst } from './first-fact.js'
import { KeyedAppend } from './keyed-append.js'
import { keyedCreation } from './keyed-creation.js'
import { IdempotencyIndexCache } from './idempotency-index-cache.js'
import { metastreamOf } from '../client/metastream.js'
import { probeStream } from '../client/probe-stream.js'
import type { StreamAccess } from './stream-access.js'
import { StreamQueues } from './stream-queue.js'

export interface EventStoreDbOptions {
  readonly url: ConnectionUrl
  /** How long an append waits before its outcome is called unknown, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
}

/** The timeout of a health check, and of the request for the time, in milliseconds. */
const maxCheckMs = 1_000

/**
 * Facts in EventStoreDB. `new` is NO_STREAM and `existing` is STREAM_EXISTS: an append without a key
 * is one call and no read. The server's own memory of ids is never relied on: it ends with its process.
 */
export class EventStoreDbEventStore
  implements EventStore, ExactAppends, StreamReader, StoreHealth, StoreTime
{
  private readonly connection: Connection
  private readonly indexes = new IdempotencyIndexCache()
  private readonly queues = new StreamQueues()
  private readonly inFlight = new Set<Promise<unknown>>()
  private closing: Promise<void> | undefined
  /** An append failed and none was stored since: only a write proves that the store can write. */
  private appendFailed = false
  /** Where the key of an older fact is looked for; undefined where there is no read model. */
  private findKey: FindKey | undefined

  constructor(private readonly options: EventStoreDbOptions) {
    this.connection = new Connection(options.url)
  }

  /** From now on, keys of facts that are too old to be looked for in the store are looked for there. */
  findKeysIn(readModel: Pick<ReadModel, 'query'>): void {
    this.findKey = findKeyIn(readModel)
  }

  async append(append: Append): Promise<Receipt> {
    assertAppendable(append)
    if (this.closing !== undefined) throw closedError()
    if (append.expected === 'first') return this.track(this.first(append))
    return this.track(
      append.key === undefined ? this.plain(append) : this.keyed(append, append.key),
    )
  }

  async appendAt(append: ExactAppend): Promise<ExactReceipt> {
    assertAppendableAt(append)
    if (this.closing !== undefined) throw closedError()
    return this.track(appendAt(append, this.exactAccess(append.stream)))
  }

  async readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    assertReadableFrom(stream, from)
    if (this.closing !== undefined) throw closedError()
    return this.track(readStream(from, this.exactAccess(stream)))
  }

  /**
   * A read that only a leader answers; after an append that failed, a write. So a cluster without a
   * majority is found out by the first append that it cannot store.
   */
  async check(): Promise<void> {
    if (this.closing !== undefined) throw closedError()
    const milliseconds = Math.min(this.options.timeoutMs, maxCheckMs)
    await this.track(
      this.appendFailed ? this.probeWriting(milliseconds) : this.probeReading(milliseconds),
    )
  }

  async dateOfReply(): Promise<number> {
    if (this.closing !== undefined) throw closedError()
    return this.track(this.connection.replyDate(Math.min(this.options.timeoutMs, maxCheckMs)))
  }

  /** Takes no more appends, waits for those in flight and closes the connection. */
  close(): Promise<void> {
    this.closing ??= this.finish()
    return this.closing
  }

  private async finish(): Promise<void> {
    await Promise.allSettled(this.inFlight)
    await this.connection.close()
  }

  private async track<T>(work: Promise<T>): Promise<T> {
    this.inFlight.add(work)
    try {
      return await work
    } finally {
      this.inFlight.delete(work)
    }
  }

  private async plain({ stream, expected, facts }: Append): Promise<Receipt> {
    const state = expected === 'new' ? 'no_stream' : 'stream_exists'
    const answer = await this.send(stream, state, facts, this.options.timeoutMs)
    if (answer.kind !== 'stored') throw errorOf(answer, expected)
    return { position: String(answer.position), facts, replayed: false }
  }

  private first({ stream }: Append): Promise<Receipt> {
    return readFirst(this.access(stream, performance.now() + this.options.timeoutMs))
  }

  private keyed({ stream, expected, facts }: Append, key: string): Promise<Receipt> {
    const milliseconds = this.options.timeoutMs
    const access = this.access(stream, performance.now() + milliseconds)
    return this.queues.enqueue({ stream, key, milliseconds }, () => {
      if (expected === 'new') return keyedCreation({ facts, key }, access)
      const append = new KeyedAppend({ facts, key }, access, this.indexes.of(stream))
      return expected === 'stored' ? append.find() : append.run()
    })
  }

  /** `left`: how many milliseconds there are, when it is called. */
  private appendTo(stream: string, left: () => number): StreamAccess['append'] {
    return (expected, facts) => this.send(stream, expected, facts, left())
  }

  private async send(
    stream: string,
    expected: AppendExpectedRevision,
    facts: readonly StoredFact[],
    milliseconds: number,
  ): Promise<Answer> {
    const answer = await this.connection.append(stream, expected, facts, milliseconds)
    this.note(answer)
    const isBegun = answer.kind === 'stored' && expected === NO_STREAM
    // Its facts would be the first ones, had the stream not been deleted before.
    if (isBegun && answer.revision >= facts.length) this.indexes.of(stream).beginAnew()
    return answer
  }

  private exactAccess(stream: string): ExactAccess {
    const dueAt = performance.now() + this.options.timeoutMs
    const left = () => Math.max(1, Math.ceil(dueAt - performance.now()))
    return {
      append: this.appendTo(stream, left),
      read: (what, range) => {
        const name = what === 'facts' ? stream : metastreamOf(stream)
        return this.connection.readUnlessRemoved(name, range, left())
      },
    }
  }

  private access(stream: string, dueAt: number): StreamAccess {
    const backOff = new BackOff(20, 500)
    const left = () => Math.max(1, Math.ceil(dueAt - performance.now()))
    return {
      append: this.appendTo(stream, left),
      read: (range) => this.connection.read(stream, range, left()),
      findKey: async (key) => {
        if (this.findKey === undefined) return { kind: 'none' }
        try {
          const found = await this.findKey(stream, key)
          return { kind: 'looked', upTo: BigInt(found.upTo), stored: found.stored }
        } catch {
          // Whoever wants to know why it is silent reads the read model's own log.
          return { kind: 'silent' }
        }
      },
      timeIsUp: () => performance.now() >= dueAt,
      pause: () => wait(Math.min(backOff.take(), left())),
    }
  }

  /** A refusal for the state of the stream proves nothing: a cluster without a majority gives it too. */
  private note({ kind }: Answer): void {
    if (kind === 'stored') this.appendFailed = false
    if (kind === 'refused' || kind === 'unknown') this.appendFailed = true
  }

  private async probeReading(milliseconds: number): Promise<void> {
    try {
      await this.connection.read(probeStream, { from: 'end', maxCount: 1 }, milliseconds)
    } catch (error) {
      throw new Refusal('store_unavailable', reasonOf(error), { cause: error })
    }
  }

  private async probeWriting(milliseconds: number): Promise<void> {
    const probe = { id: randomUUID(), type: 'ProbeWritten', data: '{}', metadata: '{}' }
    const answer = await this.send(probeStream, 'any', [probe], milliseconds)
    if (answer.kind !== 'stored')
      throw new Refusal('store_unavailable', `a probe was not stored: ${answer.kind}`)
  }
}

function errorOf(answer: Exclude<Answer, { kind: 'stored' }>, expected: Append['expected']): Error {
  switch (answer.kind) {
    case 'wrong':
      return expected === 'new'
        ? new Refusal('stream_exists', 'the stream exists')
        : new Refusal('stream_missing', 'the stream is missing')
    case 'deleted':
      return expected === 'new'
        ? new Refusal('stream_removed', 'the stream was removed for good')
        : new Refusal('stream_missing', 'the stream was deleted')
    case 'too_large':
      return new Refusal('append_too_large', 'the store takes no append of this size')
    case 'refused':
      return new Refusal('store_unavailable', answer.reason)
    case 'unknown':
      return new Refusal('outcome_unknown', answer.reason)
  }
}

function closedError(): Refusal {
  return new Refusal('store_unavailable', 'the store is closed')
}
