import { BackOff } from '../background-loop.js'
import type { WaitingFact } from './ports/webhook-queries.js'

export interface LaneItem {
  readonly fact: WaitingFact
  readonly isBarrier: boolean
  isDone: boolean
}

/** The undelivered facts of one entity, in order. At most one of them is sent at a time. */
export interface Lane {
  readonly key: string
  readonly items: LaneItem[]
  readonly backOff: BackOff
  /** The time before which nothing is sent, on the clock of the caller. */
  dueAt: number
  /** The time of the first failure since the last success. Undefined when nothing has failed since the last success. */
  failedSince: string | undefined
}

/** The types of facts that are delivered alone: after all earlier facts, and before all later facts. */
const barrierTypes: ReadonlySet<string> = new Set([
  'SegmentDefined',
  'SegmentBuilt',
  'SegmentRetired',
])

/** The shortest and the longest backoff, in milliseconds. */
export const shortestMs = 1_000
export const longestMs = 300_000

/**
 * The facts that are read and not delivered yet, in log order. Facts of different entities may be sent at the
 * same time. A barrier is sent after all facts before it, and before all facts after it.
 */
export class Lanes {
  /** All facts from the first undelivered fact on, in log order. Some of the later facts may already be delivered. */
  private readonly items: LaneItem[] = []
  /** The number of `items` that are in a lane. The later items wait for a barrier. */
  private admitted = 0
  private readonly lanes = new Map<string, Lane>()
  /** The lanes whose first fact can be sent now, in the order in which they became ready. */
  private readonly ready: Lane[] = []
  private readonly delayed = new Set<Lane>()

  get size(): number {
    return this.items.length
  }

  /** The time of the earliest failure in the lanes that have not succeeded since. */
  get failingSince(): string | undefined {
    let earliest: string | undefined
    for (const { failedSince } of this.lanes.values()) {
      if (failedSince !== undefined && (earliest === undefined || failedSince < earliest)) {
        earliest = failedSince
      }
    }
    return earliest
  }

  add(fact: WaitingFact): void {
    this.items.push({ fact, isBarrier: barrierTypes.has(fact.type), isDone: false })
    this.admit()
  }

  /** Takes the next fact to send. The fact is not taken again before `finish` or `delay`. */
  take(now: number): { readonly lane: Lane; readonly item: LaneItem } | undefined {
    for (const lane of this.delayed) {
      if (lane.dueAt > now) continue
      this.delayed.delete(lane)
      this.ready.push(lane)
    }
    const lane = this.ready.shift()
    const item = lane?.items[0]
    return lane && item && { lane, item }
  }

  /** Returns the time at which the next fact is due: `now` when one is ready, Infinity when there is none. */
  nextDue(now: number): number {
    if (this.ready.length > 0) return now
    let earliest = Infinity
    for (const { dueAt } of this.delayed) earliest = Math.min(earliest, dueAt)
    return earliest
  }

  /** Schedules the first fact of the lane to be sent again, at `dueAt` or later. */
  delay(lane: Lane, dueAt: number): void {
    lane.dueAt = dueAt
    this.delayed.add(lane)
  }

  /** Removes a delivered fact. If the webhook's cursor moves, returns the fact at the new cursor. */
  finish(lane: Lane, item: LaneItem): WaitingFact | undefined {
    item.isDone = true
    lane.items.shift()
    lane.failedSince = undefined
    lane.backOff.reset()
    if (lane.items.length > 0) this.ready.push(lane)
    else this.lanes.delete(lane.key)
    let passed: WaitingFact | undefined
    while (this.items[0]?.isDone === true) {
      passed = this.items.shift()?.fact
      this.admitted -= 1
    }
    this.admit()
    return passed
  }

  private admit(): void {
    for (;;) {
      const item = this.items[this.admitted]
      if (item === undefined) return
      const isBlocked = item.isBarrier || this.items[0]?.isBarrier === true
      if (this.admitted > 0 && isBlocked) return
      this.admitted += 1
      this.addToLane(item)
    }
  }

  private addToLane(item: LaneItem): void {
    const key = item.fact.entityId ?? ''
    const found = this.lanes.get(key)
    if (found !== undefined) {
      found.items.push(item)
      return
    }
    const backOff = new BackOff(shortestMs, longestMs)
    const lane = { key, items: [item], backOff, dueAt: 0, failedSince: undefined }
    this.lanes.set(key, lane)
    this.ready.push(lane)
  }
}
