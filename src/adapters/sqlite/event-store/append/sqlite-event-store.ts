import {
  assertAppendable,
  assertAppendableAt,
  assertReadableFrom,
} from '../../../../application/recording/append-limits.js'
import type {
  ExactAppend,
  ExactReceipt,
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
  /** The database file; it and its folder are made when missing. */
  readonly path: string
  /** How long an append waits before its outcome is called unknown, in milliseconds. */
  readonly timeoutMs: number
  readonly log: Log
  /** Called once when the writer has ended by itself or lost the file: nothing can be stored from then on. */
  readonly onLost?: (reason: string) => void
  /** Files beside it in which facts of persons may be, too. */
  readonly readModelFiles?: readonly string[]
  /** Hears of commits, when somebody wants to. */
  readonly commits?: CommitObserver
}

/**
 * Appends that are sent before the tick ends: the writer works on them while this thread reads the next
 * requests. Clients that get their replies together send together; without this the two threads would
 * idle alternately.
 */
const enoughToSend = 32

/** Messages with appends that the writer has not answered. */
const maxMessagesAtWriter = 2

/** A sign of life is worth nothing when it comes late, in milliseconds. */
const maxCheckMs = 1_000

/**
 * Facts in one SQLite file. Appends go to the writer thread many in a message; those that arrive while
 * it flushes are its next group, so one flush serves all who wait.
 */
export class SqliteEventStore implements LimitedStore, StreamReader, StoreHealth {
  private readonly pending: PendingAppends
  private readonly requests = new PendingRequests<WriterResponse>()
  readonly erasable: SqliteErasing
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
    /** The memory of the `CommitSignal` that hears of every commit. */
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
   * Throws `StoreNotOpened` when another process owns the file, or when it is damaged, not ours or
   * of a newer version. Then nothing was changed.
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

  /** By the writer thread: while a disk hangs, this one goes on. */
  async readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    assertReadableFrom(stream, from)
    const response = await this.request({ kind: 'read', stream, from })
    return expectKind('facts', response).facts
  }

  /** Rejects with `code` if no response comes. */
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

  get queued(): AppendLoad {
    return this.pending.queued
  }

  catchUp(): void {
    for (const message of messagesOn<FromWriter>(this.writer.port)) this.receive(message)
  }

  /** All who ask meanwhile share one request: while a disk hangs, few gather before the writer. */
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

  /** Takes no more appends, waits for those under way, flushes and lets the file go. */
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
    // While the writer works, few appends wait for it and for more: each commit has a price.
    if (this.messagesAtWriter === 0) this.sendOutbox()
  }

  /**
   * One message for the writer to work on and one that waits for it: more would wait as well, and each
   * costs as much as an append or two. So what comes meanwhile goes with the next.
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
        this.options.log.warn({ reason: message.reason }, 'the store has trouble')
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

  /** Refuses all from now on, and says why once. */
  private lose(reason: string): void {
    if (this.gone !== undefined) return
    this.gone = reason
    if (this.closing !== undefined) return
    this.options.log.error({ reason }, 'the store is gone')
    this.options.onLost?.(reason)
  }
}
