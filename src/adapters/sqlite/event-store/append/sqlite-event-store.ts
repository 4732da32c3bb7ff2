import {
  assertAppendable,
  assertAppendableAt,
  assertReadableFrom,
} from '../../../../application/recording/append-limits.js'
import type {
  ExactAppend,
  ExactReceipt,
  LastFactReader,
  StreamFact,
  StreamReader,
} from '../../../../application/ports/exact-appends.js'
import type { AppendLoad, LimitedStore } from '../../../../application/recording/limit-in-flight.js'
import type {
  Append,
  Receipt,
  StoreHealth,
} from '../../../../application/recording/ports/event-store.js'
import type { Log } from '../../../../application/ports/log.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import { reportCommit, type CommitObserver } from '../../ports/commit-observer.js'
import { flatten, joined, type QueuedAppend } from './flat-appends.js'
import { PendingAppends } from './pending-appends.js'
import {
  expectKind,
  type FromWriter,
  type ToWriter,
  type WriterRequest,
  type WriterResponse,
} from './protocol.js'
import { SqliteErasing } from './sqlite-erasing.js'
import { startWriter, type Writer } from './start-writer.js'
import { resolvePath } from '../../file/paths.js'
import { PendingRequests } from '../../pending-requests.js'
import { messagesOn } from '../../threads.js'
import { CommitSignal } from '../log/commit-signal.js'

export interface SqliteOptions {
  /** The database file. The store creates the file and its folder when they are missing. */
  readonly path: string
  /** The longest wait of an append before its outcome counts as unknown, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
  /**
   * Called at most once, when the writer thread has ended or the database file was removed or replaced. The
   * store then refuses every request.
   */
  readonly onLost?: (reason: string) => void
  /** Read-model files. Checking an erasure also searches these files for the entity's name. */
  readonly readModelFiles?: readonly string[]
  /** Receives the measurements of each commit. */
  readonly commits?: CommitObserver
}

/**
 * The number of waiting appends at which the store sends them to the writer before the tick of the event loop
 * ends. The writer then works while this thread reads the next requests. Clients that receive their responses
 * together also send their next requests together. Without early sending, the two threads would therefore wait
 * for each other.
 */
const enoughToSend = 32

/** The most append messages that the writer has received and not yet answered. */
const maxMessagesAtWriter = 2

/** The longest wait for a health check, in milliseconds. Callers of health checks give up after this time. */
const maxCheckMs = 1_000

/**
 * Stores facts in one SQLite file. One message to the writer thread carries many appends. Appends that arrive
 * while the writer flushes form the next group, so one flush serves all of them.
 *
 * The path of an append through this folder:
 * - `pending-appends.ts` keeps the promises of callers, and `flat-appends.ts` encodes appends as text;
 * - `start-writer.ts` starts `writer-thread.ts`, and `protocol.ts` declares the messages;
 * - `watched-writer.ts` checks the files, and `group-writer.ts` decides and stores a group;
 * - `write-connection.ts` has the SQL, and `recent-keys.ts` keeps the keys that are not in the index yet;
 * - `checkpoints.ts` and `checkpoint-thread.ts` keep the WAL short;
 * - `sqlite-erasing.ts` requests erasure steps, and `stream-erasing.ts` carries them out.
 */
export class SqliteEventStore implements LimitedStore, StreamReader, LastFactReader, StoreHealth {
  private readonly pending: PendingAppends
  private readonly requests = new PendingRequests<WriterResponse>()
  readonly erasable: SqliteErasing
  readonly time = undefined
  readonly log = undefined
  private outbox: string[] = []
  private batchIsOpen = false
  private waiting = 0
  private messagesAtWriter = 0
  private checking: Promise<WriterResponse> | undefined
  private gone: string | undefined
  private hasWriterEnded = false
  private closing: Promise<void> | undefined

  private constructor(
    private readonly writer: Writer,
    private readonly options: SqliteOptions,
    /** The shared memory of the `CommitSignal` that reports every commit to other threads. */
    readonly commitMemory: SharedArrayBuffer,
  ) {
    this.pending = new PendingAppends(options.timeoutMs)
    this.erasable = new SqliteErasing(
      (step) => this.request(step, 'outcome_unknown'),
      resolvePath(options.path),
      options.readModelFiles ?? [],
    )
    writer.port.on('message', (message: FromWriter) => {
      this.receive(message)
    })
    void writer.ended.then((failure) => {
      this.writerEnded(
        failure === undefined ? 'the writer thread ended' : `the writer thread failed: ${failure}`,
      )
    })
  }

  /**
   * Opens the file and starts the writer thread. Throws `StoreNotOpened` when another process owns the file,
   * the file is damaged, the file is not a Dossier store, or a newer version wrote it. The file is then
   * unchanged.
   */
  static async open(options: SqliteOptions): Promise<SqliteEventStore> {
    const commits = new CommitSignal()
    const path = resolvePath(options.path)
    const writer = await startWriter(path, options.timeoutMs, commits.memory)
    return new SqliteEventStore(writer, options, commits.memory)
  }

  append(append: Append): Promise<Receipt> {
    try {
      assertAppendable(append)
      this.assertServing()
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new TypeError(String(error)))
    }
    return this.enqueue(append)
  }

  async appendAt({ stream, revision, facts }: ExactAppend): Promise<ExactReceipt> {
    assertAppendableAt({ stream, revision, facts })
    this.assertServing()
    const { position } = await this.enqueue({ stream, expected: revision, facts })
    return { position, revision: revision + facts.length }
  }

  /**
   * Returns the facts of a stream. The first returned fact has the revision `from`. The writer thread reads the
   * facts, so that a hanging disk does not block this thread.
   */
  async readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    assertReadableFrom(stream, from)
    const response = await this.request({ kind: 'read', stream, from })
    return expectKind('facts', response).facts
  }

  async readLast(stream: string): Promise<StreamFact | undefined> {
    assertReadableFrom(stream, 0)
    const response = await this.request({ kind: 'read', stream, from: 'end' })
    return expectKind('facts', response).facts[0]
  }

  /** Sends a request to the writer thread. Rejects with `code` if no response arrives within `timeoutMs`. */
  private async request(
    request: WriterRequest,
    code: 'store_unavailable' | 'outcome_unknown' = 'store_unavailable',
    timeoutMs = this.options.timeoutMs,
  ): Promise<WriterResponse> {
    this.assertServing()
    const noResponse = (reason: string) => new Refusal(code, reason)
    return this.requests.add(
      { timeoutMs, noResponse },
      (id) => {
        this.send({ kind: 'request', id, request })
      },
      (response) => response,
    )
  }

  private enqueue(append: QueuedAppend): Promise<Receipt> {
    if (!this.batchIsOpen) setImmediate(this.endBatch)
    this.batchIsOpen = true
    flatten(append, this.outbox)
    const receipt = this.pending.add(append)
    this.waiting += 1
    if (this.waiting >= enoughToSend) this.sendOutbox()
    return receipt
  }

  /** Does nothing, because the file has an index of all idempotency keys. */
  findKeysIn(): void {
    return undefined
  }

  get queued(): AppendLoad {
    return this.pending.queued
  }

  catchUp(): void {
    for (const message of messagesOn<FromWriter>(this.writer.port)) this.receive(message)
  }

  /**
   * Resolves when the writer can store facts; otherwise rejects with the reason. Concurrent calls share one
   * request, so that requests do not accumulate at the writer while a disk hangs.
   */
  async check(): Promise<void> {
    this.assertServing()
    const timeoutMs = Math.min(this.options.timeoutMs, maxCheckMs)
    this.checking ??= this.request({ kind: 'check' }, 'store_unavailable', timeoutMs).finally(
      () => {
        this.checking = undefined
      },
    )
    expectKind('ready', await this.checking)
  }

  /** Refuses new appends, waits for the pending appends, flushes the file, and releases it. */
  close(): Promise<void> {
    this.closing ??= this.finish()
    return this.closing
  }

  private async finish(): Promise<void> {
    await this.pending.drained()
    if (!this.hasWriterEnded) this.send({ kind: 'close' })
    await this.writer.ended
  }

  private assertServing(): void {
    if (this.closing !== undefined) throw new Refusal('store_unavailable', 'the store is closed')
    if (this.gone !== undefined) throw new Refusal('store_unavailable', this.gone)
  }

  private readonly endBatch = (): void => {
    this.batchIsOpen = false
    this.pending.endBatch()
    // Sends the appends only when the writer is idle. Otherwise a small batch waits for more appends, because
    // every commit takes time.
    if (this.messagesAtWriter === 0) this.sendOutbox()
  }

  /**
   * Sends the waiting appends as one message, unless the writer already has two messages: one in progress and
   * one waiting. A third message would only wait, and a message costs as much as one or two appends. `receive`
   * calls this function again after each response.
   */
  private sendOutbox(): void {
    if (this.outbox.length === 0 || this.messagesAtWriter >= maxMessagesAtWriter) return
    const appends = joined(this.outbox)
    this.outbox = []
    this.waiting = 0
    this.pending.endBatch()
    this.messagesAtWriter += 1
    this.send({ kind: 'appends', appends })
  }

  private send(message: ToWriter): void {
    this.writer.port.postMessage(message)
  }

  private receive(message: FromWriter): void {
    switch (message.kind) {
      case 'outcomes':
        this.messagesAtWriter -= message.messages
        this.sendOutbox()
        this.pending.answer(message.outcomes)
        if (this.options.commits !== undefined) reportCommit(this.options.commits, message)
        return
      case 'response':
        this.requests.respond(message.id, message.response)
        return
      case 'trouble':
        this.options.log.warn({ reason: message.reason }, 'the store reports a problem')
        return
      case 'lost':
        this.lose(message.reason)
        return
      case 'opened':
      case 'not_opened':
        return
    }
  }

  private writerEnded(reason: string): void {
    this.hasWriterEnded = true
    this.catchUp()
    this.lose(reason)
    this.pending.endAllAsUnknown(reason)
    this.requests.endAll(reason)
  }

  /** Makes the store refuse every request from now on. The first call logs the reason and calls `onLost`. */
  private lose(reason: string): void {
    if (this.gone !== undefined) return
    this.gone = reason
    if (this.closing !== undefined) return
    this.options.log.error({ reason }, 'the store is gone')
    this.options.onLost?.(reason)
  }
}
