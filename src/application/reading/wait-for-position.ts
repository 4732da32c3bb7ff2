import type { LogHead } from '../facts/ports/fact-log.js'
import { RefusalAt } from '../ports/refusal.js'
import { isOfLog } from './follow-pauses.js'

/** The interval at which a waiting query requests the head of the log (its newest position), in milliseconds. */
const headEveryMs = 100

/**
 * A query waits for a reply with the head up to this time after its deadline, in milliseconds. A leader needs
 * some milliseconds to reply, and even a query with `waitMs` 0 needs this reply.
 */
const headAnswerMs = 250

interface WaitParts {
  readonly head: () => Promise<LogHead>
  readonly isReached: (position: number) => boolean
  readonly applied: () => number
}

/**
 * Lets queries wait for a position. One request for the head of the log serves all queries that wait at that
 * moment. There is never more than one request at a time.
 */
export class WaitForPosition {
  private readonly waiting = new Set<Waiter>()
  private isRequesting = false
  private hasGivenUp = false

  constructor(private readonly parts: WaitParts) {}

  get isEmpty(): boolean {
    return this.waiting.size === 0
  }

  reached(position: number): void {
    for (const waiter of this.waiting) if (isUpTo(waiter.wanted, position)) this.end(waiter)
  }

  /** Rejects all waiting queries with `read_model_behind`, because no more facts will be applied. */
  giveUp(): void {
    this.hasGivenUp = true
    for (const waiter of this.waiting) this.end(waiter, this.behind())
  }

  /**
   * Resolves when the facts up to the position are applied. `head` means the head of the log at the first
   * request. `dueAt` is in milliseconds on the clock of `performance.now`.
   *
   * Rejects at `dueAt`, or up to `headAnswerMs` later while a request for the head is open:
   *
   * - with `position_unknown` if the store replied at least once, and in every reply the log ended before the
   * position;
   * - otherwise with `read_model_behind`.
   */
  until(position: number | 'head', dueAt: number): Promise<void> {
    if (this.hasGivenUp) return Promise.reject(this.behind())
    if (position !== 'head' && this.parts.isReached(position)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiter = new Waiter(position, dueAt, (error) => {
        if (error === undefined) resolve()
        else reject(error)
      })
      this.waiting.add(waiter)
      // Delays the request for the head, because a fact that was just stored is usually applied without this request.
      this.scheduleHeadRequest(waiter, position === 'head' ? 0 : headEveryMs)
    })
  }

  /**
   * Schedules a request for the head after the milliseconds. If the deadline of the query is earlier, ends the
   * query's wait at the deadline.
   */
  private scheduleHeadRequest(waiter: Waiter, milliseconds: number): void {
    const left = leftOf(waiter)
    const wait = waiter.wantsHeads ? Math.min(milliseconds, left) : left
    this.later(waiter, wait, () => {
      if (waiter.hasHeard && leftOf(waiter) <= 0) this.giveVerdict(waiter)
      else this.wantHead(waiter)
    })
  }

  private wantHead(waiter: Waiter): void {
    waiter.needsHead = true
    this.refuseInTime(waiter)
    if (!this.isRequesting) void this.requestHeads()
  }

  private refuseInTime(waiter: Waiter): void {
    this.later(waiter, leftOf(waiter) + headAnswerMs, () => {
      this.giveVerdict(waiter)
    })
  }

  private async requestHeads(): Promise<void> {
    this.isRequesting = true
    while ([...this.waiting].some(({ needsHead }) => needsHead)) {
      await this.requestHead([...this.waiting])
    }
    this.isRequesting = false
  }

  /** Requests the head for the waiters in `served`, and passes the reply to them. Never rejects. */
  private async requestHead(served: readonly Waiter[]): Promise<void> {
    // Gives each waiter time for this reply: the previous request may have used up the waiter's time.
    for (const waiter of served) if (waiter.needsHead) this.refuseInTime(waiter)
    try {
      this.report(served, await this.parts.head())
    } catch (error) {
      if (isOfLog(error)) {
        this.report(served, undefined)
        return
      }
      const mistake = error instanceof Error ? error : new Error(String(error))
      for (const waiter of served) this.end(waiter, mistake)
    }
  }

  private report(served: readonly Waiter[], head: LogHead | undefined): void {
    for (const waiter of served) {
      if (!this.waiting.has(waiter)) continue
      waiter.hear(head)
      const { wanted } = waiter
      if (wanted !== undefined && this.parts.isReached(wanted)) this.end(waiter)
      else if (leftOf(waiter) <= 0) this.giveVerdict(waiter)
      else this.scheduleHeadRequest(waiter, headEveryMs)
    }
  }

  private giveVerdict(waiter: Waiter): void {
    const { applied } = this.parts
    this.end(
      waiter,
      waiter.isBeyond === true ? new RefusalAt('position_unknown', applied()) : this.behind(),
    )
  }

  private end(waiter: Waiter, error?: Error): void {
    clearTimeout(waiter.timer)
    if (this.waiting.delete(waiter)) waiter.end(error)
  }

  private later(waiter: Waiter, milliseconds: number, work: () => void): void {
    clearTimeout(waiter.timer)
    if (milliseconds <= 0) work()
    else waiter.timer = setTimeout(work, Math.ceil(milliseconds))
  }

  private behind(): RefusalAt {
    return new RefusalAt('read_model_behind', this.parts.applied())
  }
}

function isUpTo(wanted: number | undefined, position: number): boolean {
  return wanted !== undefined && wanted <= position
}

function leftOf({ dueAt }: Waiter): number {
  return Math.max(0, dueAt - performance.now())
}

class Waiter {
  /** The position to wait for. Undefined until a reply contains the head. */
  wanted: number | undefined
  /** Whether the waiter needs the reply to the next request for the head. */
  needsHead = false
  timer: NodeJS.Timeout | undefined
  /** Whether a request for the head has ended, with or without a reply. */
  hasHeard = false
  /** Whether the position was after the end of the store in every reply so far. Undefined before the first reply. */
  isBeyond: boolean | undefined

  /**
   * `position` is the position to wait for, or `head` for the head of the log at the first request. `dueAt` is
   * on the clock of `performance.now`. `end` is called at the end of the wait, with an error if the wait
   * failed.
   */
  constructor(
    private readonly position: number | 'head',
    readonly dueAt: number,
    readonly end: (error?: Error) => void,
  ) {
    if (position !== 'head') this.wanted = position
  }

  /** Returns whether another reply of the store could change `wanted`. */
  get wantsHeads(): boolean {
    return this.position !== 'head' || this.wanted === undefined
  }

  /** Processes the reply to a request that was sent during this wait. `head` is undefined when there was no reply. */
  hear(head: LogHead | undefined): void {
    this.needsHead = false
    this.hasHeard = true
    if (head === undefined) return
    const { position } = this
    if (position === 'head') {
      this.wanted ??= head.newest
      return
    }
    const isBeyond = position > head.end
    // Waits for the last fact of Dossier at or before the position, because other data may be at the position itself.
    this.wanted = isBeyond ? position : Math.min(position, head.newest)
    this.isBeyond = isBeyond && this.isBeyond !== false
  }
}
