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

/** The appends of one tick of the event loop. They share one deadline. */
interface Batch {
  readonly dueAt: number
  /** An entry is undefined when its promise is settled. */
  readonly appends: (Pending | undefined)[]
  /** The size of each append, settled or not. */
  readonly bytes: number[]
  /** How many of these appends the writer has answered. */
  answered: number
}

/**
 * The appends that wait for the writer. The writer answers them in their order of arrival. Each promise
 * settles once: with its outcome, or as unknown at its deadline. All appends have the same time-out, so
 * deadlines pass in the same order and one timer serves them all.
 *
 * The batches are lists instead of a `Map` by id. A `Map` with constant inserts and deletes leaves old tables
 * in memory, and each table keeps its contents until the next full garbage collection.
 */
export class PendingAppends {
  /** The batches with missing outcomes, oldest first. */
  private readonly batches: Batch[] = []
  /**
   * How many of the oldest `batches` have passed their deadline. Their promises are settled, and their
   * outcomes will still arrive.
   */
  private expiredBatches = 0
  private current: Batch | undefined
  private timer: NodeJS.Timeout | undefined
  private unanswered = 0
  private unansweredBytes = 0
  private idle: (() => void)[] = []

  constructor(private readonly timeoutMs: number) {}

  /** Resolves with the result of an append that is sent to the writer in this tick. */
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

  /** The appends that the writer has not answered, including those that were settled as unknown. */
  get queued(): AppendLoad {
    return { appends: this.unanswered, bytes: this.unansweredBytes }
  }

  /** Ends the batch. Later appends get a later deadline. */
  endBatch(): void {
    this.current = undefined
  }

  /** Applies the writer's outcomes to the oldest unanswered appends. */
  answer(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) this.answerOldest(outcome)
    this.reportIdle()
  }

  private answerOldest(outcome: Outcome): void {
    const [oldest] = this.batches
    if (oldest === undefined) throw new RangeError('an answer to no append')
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

  /** Resolves when every append is settled. */
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

  /** Settles the oldest unsettled batch as unknown. Its appends stay listed until their outcomes arrive. */
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
