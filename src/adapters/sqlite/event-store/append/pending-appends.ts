import { bytesOf, type AppendLoad } from '../../../../application/recording/limit-in-flight.js'
import type { Receipt } from '../../../../application/recording/ports/event-store.js'
import { Refusal, StreamErased, WrongRevision } from '../../../../application/ports/refusal.js'
import type { QueuedAppend } from './flat-appends.js'
import type { OtherOutcome, Outcome } from './protocol.js'

interface Pending {
  readonly append: QueuedAppend
  readonly resolve: (receipt: Receipt) => void
  readonly reject: (error: Error) => void
}

/** The appends of one tick of the event loop. All of them have the same deadline. */
interface Batch {
  readonly dueAt: number
  /** The appends of the batch. An entry becomes undefined when its promise is settled. */
  readonly appends: (Pending | undefined)[]
  /** The size of each append in bytes, including settled appends. */
  readonly bytes: number[]
  /** The number of appends in this batch that the writer has answered. */
  answered: number
}

/**
 * The appends that wait for the writer. The writer answers appends in the order in which they arrived. Each
 * promise settles once: with the append's outcome, or with outcome unknown at the deadline. All appends have
 * the same time-out, so deadlines pass in order of arrival and one timer is enough.
 *
 * The batches are arrays. A `Map` by id with constant inserts and deletes would leave its old hash tables, with
 * their contents, in memory until the next full garbage collection.
 */
export class PendingAppends {
  /** The batches with unanswered appends, oldest first. */
  private readonly batches: Batch[] = []
  /**
   * The number of batches at the start of `batches` whose deadline has passed. Their promises are settled,
   * but the writer has not answered them yet.
   */
  private expiredBatches = 0
  private current: Batch | undefined
  private timer: NodeJS.Timeout | undefined
  private unanswered = 0
  private unansweredBytes = 0
  private idle: (() => void)[] = []

  constructor(private readonly timeoutMs: number) {}

  /**
   * Registers an append that the caller sends to the writer in this tick. Resolves with the append result,
   * and rejects when the append is refused or its deadline passes.
   */
  add(append: QueuedAppend): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      const bytes = bytesOf(append)
      const batch = this.batch()
      batch.appends.push({ append, resolve, reject })
      batch.bytes.push(bytes)
      this.unanswered += 1
      this.unansweredBytes += bytes
    })
  }

  /** The appends that the writer has not answered, including appends that were settled as unknown. */
  get queued(): AppendLoad {
    return { appends: this.unanswered, bytes: this.unansweredBytes }
  }

  /** Ends the current batch. Appends that are added after this call get a new deadline. */
  endBatch(): void {
    this.current = undefined
  }

  /** Settles the oldest unanswered appends. `outcomes` contains their outcomes in order of arrival. */
  answer(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) this.answerOldest(outcome)
    this.reportIdle()
  }

  private answerOldest(outcome: Outcome): void {
    const [oldest] = this.batches
    if (oldest === undefined)
      throw new RangeError('the writer answered more appends than it received')
    const pending = oldest.appends[oldest.answered]
    oldest.appends[oldest.answered] = undefined
    this.unansweredBytes -= oldest.bytes[oldest.answered] ?? 0
    oldest.answered += 1
    this.unanswered -= 1
    if (pending !== undefined) resolveWith(pending, outcome)
    if (oldest.answered < oldest.appends.length) return
    this.batches.shift()
    this.expiredBatches = Math.max(0, this.expiredBatches - 1)
  }

  endAllAsUnknown(reason: string): void {
    while (this.expiredBatches < this.batches.length) this.expireOldest(reason)
    this.reportIdle()
  }

  /** Resolves when the promises of all appends are settled. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.push(resolve)
      this.reportIdle()
    })
  }

  private batch(): Batch {
    if (this.current === undefined) {
      this.current = {
        dueAt: performance.now() + this.timeoutMs,
        appends: [],
        bytes: [],
        answered: 0,
      }
      this.batches.push(this.current)
      this.timer ??= setTimeout(this.expire, this.timeoutMs).unref()
    }
    return this.current
  }

  private readonly expire = (): void => {
    this.timer = undefined
    const now = performance.now()
    for (
      let due = this.batches[this.expiredBatches];
      due !== undefined;
      due = this.batches[this.expiredBatches]
    ) {
      if (due.dueAt > now) {
        this.timer = setTimeout(this.expire, Math.ceil(due.dueAt - now)).unref()
        return
      }
      this.expireOldest('the disk did not answer in time')
    }
    this.reportIdle()
  }

  /**
   * Settles the appends of the oldest unexpired batch as unknown, because its deadline has passed. The batch
   * stays listed until the writer has answered all of its appends.
   */
  private expireOldest(reason: string): void {
    const batch = this.batches[this.expiredBatches]
    if (batch === undefined) return
    this.expiredBatches += 1
    batch.appends.forEach((pending, at) => {
      if (pending !== undefined) resolveWith(pending, { kind: 'unknown', reason })
      batch.appends[at] = undefined
    })
  }

  private reportIdle(): void {
    if (this.expiredBatches < this.batches.length) return
    const waiting = this.idle
    this.idle = []
    for (const resolve of waiting) resolve()
  }
}

function resolveWith({ append, resolve, reject }: Pending, outcome: Outcome): void {
  if (typeof outcome === 'number') {
    resolve({ position: String(outcome), facts: append.facts, replayed: false })
  } else if (outcome.kind === 'replayed') {
    resolve({ position: String(outcome.position), facts: outcome.facts, replayed: true })
  } else {
    reject(errorOf(outcome))
  }
}

function errorOf(outcome: Exclude<OtherOutcome, { readonly kind: 'replayed' }>): Error {
  switch (outcome.kind) {
    case 'exists':
      return new Refusal('stream_exists', 'the stream exists')
    case 'missing':
      return new Refusal('stream_missing', 'the stream is missing')
    case 'erased':
      return new StreamErased(outcome.entityId)
    case 'wrong_revision':
      return new WrongRevision(outcome.actual)
    case 'not_stored':
      return new Refusal('not_stored', 'nothing is stored under the key')
    case 'unavailable':
      return new Refusal('store_unavailable', outcome.reason)
    case 'unknown':
      return new Refusal('outcome_unknown', outcome.reason)
  }
}
