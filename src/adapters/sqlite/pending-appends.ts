import type { Append, Receipt } from '../../application/ports/event-store.js'
import {
  OutcomeUnknown,
  Overloaded,
  StoreUnavailable,
  StreamExists,
  StreamMissing,
} from '../../application/ports/store-errors.js'
import type { Outcome, Ticketed } from './protocol.js'

interface Pending {
  readonly append: Append
  readonly dueAt: number
  readonly resolve: (receipt: Receipt) => void
  readonly reject: (error: Error) => void
}

/**
 * The appends that wait for the writer. Each is settled once: by its outcome, or as unknown when its
 * time is up. All have the same time-out, so they fall due in the order in which they came and one
 * timer serves them all.
 */
export class PendingAppends {
  private readonly pending = new Map<number, Pending>()
  private timer: NodeJS.Timeout | undefined
  private lastTicket = 0
  private unanswered = 0
  private idle: (() => void)[] = []

  /** At most `most` appends wait for the writer, those whose callers have gone included. */
  constructor(
    private readonly timeoutMs: number,
    private readonly most: number,
  ) {}

  /** Hands the append to `send` under a ticket and resolves with its receipt. */
  add(append: Append, send: (ticketed: Ticketed) => void): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      if (this.unanswered >= this.most) throw new Overloaded('too many appends wait for the disk')
      this.unanswered += 1
      const ticket = (this.lastTicket += 1)
      const dueAt = performance.now() + this.timeoutMs
      this.pending.set(ticket, { append, dueAt, resolve, reject })
      this.timer ??= setTimeout(this.expire, this.timeoutMs)
      send({ ticket, append })
    })
  }

  /** How many wait for the writer. */
  get queued(): number {
    return this.unanswered
  }

  /** What the writer says. */
  answer(outcome: Outcome): void {
    this.unanswered -= 1
    this.settle(outcome)
  }

  private settle(outcome: Outcome): void {
    const waiting = this.pending.get(outcome.ticket)
    if (waiting === undefined) return
    this.pending.delete(outcome.ticket)
    const { append, resolve, reject } = waiting
    switch (outcome.kind) {
      case 'stored':
        resolve({ position: String(outcome.position), facts: append.facts, replayed: false })
        break
      case 'replayed':
        resolve({ position: String(outcome.position), facts: outcome.facts, replayed: true })
        break
      case 'exists':
        reject(new StreamExists('the stream exists'))
        break
      case 'missing':
        reject(new StreamMissing('the stream is missing'))
        break
      case 'unavailable':
        reject(new StoreUnavailable(outcome.reason))
        break
      case 'unknown':
        reject(new OutcomeUnknown(outcome.reason))
        break
    }
    this.reportIdle()
  }

  settleAllAsUnknown(reason: string): void {
    for (const ticket of [...this.pending.keys()]) this.settle({ kind: 'unknown', ticket, reason })
  }

  /** Resolves when nothing is pending. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.idle.push(resolve)
      this.reportIdle()
    })
  }

  private readonly expire = (): void => {
    this.timer = undefined
    const now = performance.now()
    for (const [ticket, { dueAt }] of this.pending) {
      if (dueAt > now) {
        this.timer = setTimeout(this.expire, Math.ceil(dueAt - now))
        return
      }
      this.settle({ kind: 'unknown', ticket, reason: 'the disk did not answer in time' })
    }
  }

  private reportIdle(): void {
    if (this.pending.size > 0) return
    clearTimeout(this.timer)
    this.timer = undefined
    const waiting = this.idle
    this.idle = []
    for (const resolve of waiting) resolve()
  }
}
