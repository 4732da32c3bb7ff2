import { bytesOf, type AppendLoad } from '../../../application/recording/limit-in-flight.js'
import type { Append, Receipt } from '../../../application/recording/ports/event-store.js'
import {
  OutcomeUnknown,
  StoreUnavailable,
  StreamExists,
  StreamMissing,
} from '../../../application/recording/ports/store-errors.js'
import type { OtherOutcome, Outcome } from './protocol.js'

interface Pending {
  readonly append: Append
  readonly resolve: (receipt: Receipt) => void
  readonly reject: (error: Error) => void
}

/** The appends of one turn of the event loop: they fall due together. */
interface Turn {
  readonly dueAt: number
  readonly appends: (Pending | undefined)[]
  /** Of each append, also when it is settled. */
  readonly bytes: number[]
  answered: number
}

/**
 * The appends that wait for the writer, which answers in the order in which they came. Each is settled
 * once: by its outcome, or as unknown when its time is up. All have the same time-out, so they fall
 * due in that order too and one timer serves them all.
 *
 * Lists, and no map of tickets: a map that is filled and emptied all the time leaves its old tables
 * behind, and each keeps what it held alive until the next full garbage collection.
 */
export class PendingAppends {
  /** Turns with appends that have no answer, oldest first; those up to `expired` are settled. */
  private readonly turns: Turn[] = []
  private expired = 0
  private current: Turn | undefined
  private timer: NodeJS.Timeout | undefined
  private unanswered = 0
  private unansweredBytes = 0
  private idle: (() => void)[] = []

  constructor(private readonly timeoutMs: number) {}

  /** Resolves with the receipt of an append that is sent to the writer in this turn. */
  add(append: Append): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      const bytes = bytesOf(append)
      const turn = this.turn()
      turn.appends.push({ append, resolve, reject })
      turn.bytes.push(bytes)
      this.unanswered += 1
      this.unansweredBytes += bytes
    })
  }

  /** What waits for the writer, appends that are settled as unknown included. */
  get queued(): AppendLoad {
    return { appends: this.unanswered, bytes: this.unansweredBytes }
  }

  /** Ends the turn: what is added from now on falls due later. */
  endTurn(): void {
    this.current = undefined
  }

  /** What the writer says of the oldest that have no answer. */
  answer(outcomes: readonly Outcome[]): void {
    for (const outcome of outcomes) this.answerOldest(outcome)
    this.reportIdle()
  }

  private answerOldest(outcome: Outcome): void {
    const [oldest] = this.turns
    if (oldest === undefined) throw new RangeError('an answer to no append')
    const pending = oldest.appends[oldest.answered]
    oldest.appends[oldest.answered] = undefined
    this.unansweredBytes -= oldest.bytes[oldest.answered] ?? 0
    oldest.answered += 1
    this.unanswered -= 1
    if (pending !== undefined) settle(pending, outcome)
    if (oldest.answered < oldest.appends.length) return
    this.turns.shift()
    this.expired = Math.max(0, this.expired - 1)
  }

  settleAllAsUnknown(reason: string): void {
    while (this.expired < this.turns.length) this.expireOldest(reason)
    this.reportIdle()
  }

  /** Resolves when nobody waits. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.push(resolve)
      this.reportIdle()
    })
  }

  private turn(): Turn {
    if (this.current === undefined) {
      this.current = {
        dueAt: performance.now() + this.timeoutMs,
        appends: [],
        bytes: [],
        answered: 0,
      }
      this.turns.push(this.current)
      this.timer ??= setTimeout(this.expire, this.timeoutMs).unref()
    }
    return this.current
  }

  private readonly expire = (): void => {
    this.timer = undefined
    const now = performance.now()
    for (let due = this.turns[this.expired]; due !== undefined; due = this.turns[this.expired]) {
      if (due.dueAt > now) {
        this.timer = setTimeout(this.expire, Math.ceil(due.dueAt - now)).unref()
        return
      }
      this.expireOldest('the disk did not answer in time')
    }
    this.reportIdle()
  }

  /** Settles the oldest turn that waits; the answers to it are still to come. */
  private expireOldest(reason: string): void {
    const turn = this.turns[this.expired]
    if (turn === undefined) return
    this.expired += 1
    turn.appends.forEach((pending, at) => {
      if (pending !== undefined) settle(pending, { kind: 'unknown', reason })
      turn.appends[at] = undefined
    })
  }

  private reportIdle(): void {
    if (this.expired < this.turns.length) return
    const waiting = this.idle
    this.idle = []
    for (const resolve of waiting) resolve()
  }
}

function settle({ append, resolve, reject }: Pending, outcome: Outcome): void {
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
      return new StreamExists('the stream exists')
    case 'missing':
      return new StreamMissing('the stream is missing')
    case 'unavailable':
      return new StoreUnavailable(outcome.reason)
    case 'unknown':
      return new OutcomeUnknown(outcome.reason)
  }
}
