import { randomUUID } from 'node:crypto'
import { NO_STREAM, type AppendExpectedRevision } from '@eventstore/db-client'
import {
  assertAppendable,
  assertAppendableAt,
  assertReadableFrom,
} from '../../../application/recording/append-limits.js'
import type {
  ExactAppend,
  ExactAppends,
  ExactReceipt,
  LastFactReader,
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
import { Refusal, StreamErased } from '../../../application/ports/refusal.js'
import { refusalOf, unavailable, type Answer } from '../client/answer.js'
import type { ConnectionUrl } from '../client/connection-url.js'
import { Connection } from './connection.js'
import { appendAt, readLast, readStream } from './exact-stream.js'
import { findKeyIn } from './find-key.js'
import { readFirst } from './first-fact.js'
import { KeyedAppend } from './keyed-append.js'
import { keyedCreation } from './keyed-creation.js'
import { IdempotencyIndexCache } from './idempotency-index-cache.js'
import { probeStream } from '../client/probe-stream.js'
import { EventStoreDbErasing } from '../erasing/eventstoredb-erasing.js'
import type { StreamAccess } from './stream-access.js'
import { StreamAccesses } from './stream-accesses.js'
import { StreamQueues } from './stream-queue.js'

export interface EventStoreDbOptions {
  readonly url: ConnectionUrl
  /**
   * The timeout of an append, in milliseconds. After the timeout, the outcome of the append is
   * unknown.
   */
  readonly timeoutMs: number
  readonly log: Log
  /**
   * Whether erasing is enabled. If erasing is enabled, a tombstoned stream belongs to an erased
   * entity.
   */
  readonly erases?: boolean
}

/** The timeout of a health check and of a request for the server's time, in milliseconds. */
const maxCheckMs = 1_000

/**
 * Stores facts in EventStoreDB. The expected state `new` maps to NO_STREAM and `existing` to
 * STREAM_EXISTS, so an append without an idempotency key is one call without a read. The server
 * also remembers event ids, but only until its restart, so this store never relies on them.
 *
 * Map of this folder:
 * - `open-event-store`, `eventstoredb-event-store`: opens the event store and assembles its
 * classes.
 * - `connection`, `batch-appender`, `batch-stream`, `batch-message`: many appends in flight on one
 * gRPC call.
 * - `stream-access`, `stream-accesses`, `stream-queue`: operations on one stream under a deadline,
 * and their queue.
 * - `keyed-append`, `keyed-creation`, `first-fact`: appends that are stored once per idempotency
 * key.
 * - `idempotency-index`, `idempotency-index-cache`, `find-key`: the search for an idempotency key.
 * - `exact-stream`: appends at an expected revision.
 */
export class EventStoreDbEventStore
  implements EventStore, ExactAppends, StreamReader, LastFactReader, StoreHealth, StoreTime
{
  readonly erasable: EventStoreDbErasing
  readonly time: StoreTime = this
  readonly log = undefined
  readonly commitMemory = undefined
  private readonly connection: Connection
  private readonly accesses: StreamAccesses
  private readonly indexes = new IdempotencyIndexCache()
  private readonly queues = new StreamQueues()
  private readonly inFlight = new Set<Promise<unknown>>()
  /**
   * The streams that this process is soft-deleting or tombstoning. Appends to these streams wait
   * until the deletion ends.
   */
  private readonly beingClosed = new Map<string, Promise<unknown>>()
  private closing: Promise<void> | undefined
  /**
   * Whether an append failed and no append has been stored since. Only a stored append proves that
   * the store accepts writes again.
   */
  private appendFailed = false

  constructor(private readonly options: EventStoreDbOptions) {
    this.connection = new Connection(options.url)
    const { timeoutMs, erases = false } = options
    this.accesses = new StreamAccesses({
      connection: this.connection,
      timeoutMs,
      erases,
      send: (...sent) => this.send(...sent),
    })
    this.erasable = new EventStoreDbErasing({
      ...options,
      access: (stream) => this.accesses.closing(stream),
      holding: (stream, work) => this.hold(stream, work),
      eventAt: (position) => this.connection.eventAt(position, timeoutMs),
      whileOpen: (work) => this.whileOpen(work),
    })
  }

  /**
   * Sets the read model that finds an idempotency key when its facts are too old for a search in
   * the store.
   */
  findKeysIn(readModel: Pick<ReadModel, 'query'>): void {
    this.accesses.findKey = findKeyIn(readModel)
  }

  async append(append: Append): Promise<Receipt> {
    assertAppendable(append)
    if (this.closing !== undefined) throw closedError()
    if (this.beingClosed.size > 0) await this.beingClosed.get(append.stream)
    return this.track(this.sent(append))
  }

  appendAt(append: ExactAppend): Promise<ExactReceipt> {
    return this.whileOpen(() => {
      assertAppendableAt(append)
      return appendAt(append, this.accesses.exact(append.stream))
    })
  }

  readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    return this.whileOpen(() => {
      assertReadableFrom(stream, from)
      return readStream(from, this.accesses.exact(stream))
    })
  }

  readLast(stream: string): Promise<StreamFact | undefined> {
    return this.whileOpen(() => {
      assertReadableFrom(stream, 0)
      return readLast(this.accesses.exact(stream))
    })
  }

  /**
   * Checks the store with a read that only a leader answers. After a failed append, writes instead
   * of reading. So a cluster without a majority fails every check after its first failed append.
   */
  check(): Promise<void> {
    const milliseconds = Math.min(this.options.timeoutMs, maxCheckMs)
    return this.whileOpen(() =>
      this.appendFailed ? this.probeWriting(milliseconds) : this.probeReading(milliseconds),
    )
  }

  /**
   * Checks that the server supports `BatchAppend`. Rejects with `ServerTooOld` when it does not,
   * and with the error of the call when the server does not answer.
   */
  assertBatchAppend(): Promise<void> {
    const milliseconds = Math.min(this.options.timeoutMs, maxCheckMs)
    return this.whileOpen(() => this.connection.assertBatchAppend(milliseconds))
  }

  dateOfReply(): Promise<number> {
    const milliseconds = Math.min(this.options.timeoutMs, maxCheckMs)
    return this.whileOpen(() => this.connection.replyDate(milliseconds))
  }

  /** Closes the store: refuses new appends, waits for appends in flight and closes the connection. */
  close(): Promise<void> {
    this.closing ??= this.finish()
    return this.closing
  }

  private async finish(): Promise<void> {
    await Promise.allSettled(this.inFlight)
    await Promise.all([this.connection.close(), this.erasable.end()])
  }

  private async hold<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const closing = work()
    const ended = closing.catch(() => undefined)
    this.beingClosed.set(stream, ended)
    try {
      return await closing
    } finally {
      if (this.beingClosed.get(stream) === ended) this.beingClosed.delete(stream)
    }
  }

  private async whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (this.closing !== undefined) throw closedError()
    return this.track(work())
  }

  private async track<T>(work: Promise<T>): Promise<T> {
    this.inFlight.add(work)
    try {
      return await work
    } finally {
      this.inFlight.delete(work)
    }
  }

  private sent(append: Append): Promise<Receipt> {
    if (append.expected === 'first') return this.first(append)
    return append.key === undefined ? this.plain(append) : this.keyed(append, append.key)
  }

  private async plain({ stream, expected, facts }: Append): Promise<Receipt> {
    const dueAt = performance.now() + this.options.timeoutMs
    const state = expected === 'new' ? 'no_stream' : 'stream_exists'
    const answer = await this.send(stream, state, facts, this.options.timeoutMs)
    if (answer.kind === 'deleted')
      throw await this.deleted(expected, this.accesses.until(dueAt, stream))
    if (answer.kind !== 'stored') throw errorOf(answer, expected)
    return { position: String(answer.position), facts, replayed: false }
  }

  /**
   * Returns the refusal for an append to a deleted stream. Reads the stream to find out whether it
   * is tombstoned.
   */
  private async deleted(expected: Append['expected'], access: StreamAccess): Promise<Refusal> {
    if (expected === 'new') return access.removed('stream_removed')
    try {
      if (this.options.erases === true) await access.read({ from: 'end', maxCount: 1 })
      return new Refusal('stream_missing', 'the stream was deleted')
    } catch (cause) {
      return cause instanceof StreamErased ? cause : unavailable(cause)
    }
  }

  private first({ stream }: Append): Promise<Receipt> {
    return readFirst(this.accesses.until(performance.now() + this.options.timeoutMs, stream))
  }

  private keyed({ stream, expected, facts, ...append }: Append, key: string): Promise<Receipt> {
    const milliseconds = this.options.timeoutMs
    const now = performance.now()
    const { cameAt = now } = append
    const access = this.accesses.until(now + milliseconds, stream)
    return this.queues.enqueue({ stream, key, milliseconds }, () => {
      if (expected === 'new') return keyedCreation({ facts, key }, access)
      const addition = new KeyedAppend({ facts, key }, access, this.indexes.of(stream), cameAt)
      return expected === 'stored' ? addition.find() : addition.run()
    })
  }

  private async send(
    stream: string,
    expected: AppendExpectedRevision,
    facts: readonly StoredFact[],
    milliseconds: number,
  ): Promise<Answer> {
    const answer = await this.connection.append(stream, expected, facts, milliseconds)
    this.note(answer)
    // Marks the index of the stream as outdated, unless the append expected a revision. Only an
    // append with an idempotency key expects a revision, and that append updates the index itself.
    if (answer.kind === 'stored' && typeof expected !== 'bigint') this.indexes.doubt(stream)
    const isBegun = answer.kind === 'stored' && expected === NO_STREAM
    // Clears the index, because the append has restarted a deleted stream. In a new stream, the
    // first fact would have revision 0.
    if (isBegun && answer.revision >= facts.length) this.indexes.of(stream).clearAfterRestart()
    return answer
  }

  /**
   * Records whether appends succeed. Ignores refusals that name the stream's state as the reason:
   * a cluster without a majority gives such refusals too.
   */
  private note({ kind }: Answer): void {
    if (kind === 'stored') this.appendFailed = false
    if (kind === 'refused' || kind === 'unknown') this.appendFailed = true
  }

  private async probeReading(milliseconds: number): Promise<void> {
    try {
      await this.connection.read(probeStream, { from: 'end', maxCount: 1 }, milliseconds)
    } catch (error) {
      throw unavailable(error)
    }
  }

  private async probeWriting(milliseconds: number): Promise<void> {
    const probe = { id: randomUUID(), type: 'ProbeWritten', data: '{}', metadata: '{}' }
    const answer = await this.send(probeStream, 'any', [probe], milliseconds)
    if (answer.kind !== 'stored')
      throw new Refusal('store_unavailable', `a probe was not stored: ${answer.kind}`)
  }
}

function errorOf(
  answer: Exclude<Answer, { kind: 'stored' | 'deleted' }>,
  expected: Append['expected'],
): Error {
  if (answer.kind !== 'wrong') return refusalOf(answer)
  return expected === 'new'
    ? new Refusal('stream_exists', 'the stream exists')
    : new Refusal('stream_missing', 'the stream is missing')
}

function closedError(): Refusal {
  return new Refusal('store_unavailable', 'the store is closed')
}
