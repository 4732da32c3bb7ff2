import type {
  TimelineCursor,
  TimelineQuery,
} from '../../../../application/reading/ports/read-model.js'
import type { Database } from '../../file/driver.js'
import { changeKind } from '../fact-kinds.js'
import { entriesOfBlock, type Entry } from './block.js'
import { LatestEvents } from './latest-events.js'
import { LogBlocks, type LogHead } from './log-blocks.js'
import { NewestEvents } from './newest-events.js'
import {
  OwnTimeOrder,
  type ListedFacts,
  type OwnTimeEvent,
  type OwnTimeRange,
} from './own-time-order.js'
import { PendingEntries } from './pending-entries.js'
import { VoidedEvents, type Void } from './voided-events.js'

/**
 * The log of each entity: an index of the entity's facts by position.
 * - Input: one entry for each fact of an entity.
 * - Stored: packed blocks of entries (`log-blocks.ts`, `block.ts`).
 * - Output: entries in log order or by own time (`own-time-order.ts`).
 *
 * New entries stay in a buffer (`pending-entries.ts`) until `write` is called, or until their entity is read.
 * Generators read one block at a time. They omit entries that are added while they run.
 */
export class EntityLogs {
  /** The entries that are not written yet. Before an entity is read, its pending entries are written. */
  readonly pending: PendingEntries
  readonly latest: LatestEvents
  readonly voids: VoidedEvents
  /** The events that are not voided, newest first. */
  readonly newest: NewestEvents
  private readonly blocks: LogBlocks
  private readonly ownTimes: Readonly<Record<ListedFacts, OwnTimeOrder>>

  constructor(db: Database) {
    const blocks = new LogBlocks(db)
    this.blocks = blocks
    this.latest = new LatestEvents(db)
    this.voids = new VoidedEvents(db)
    this.newest = new NewestEvents(this)
    this.pending = new PendingEntries(db, blocks, this.latest)
    this.ownTimes = {
      events: new OwnTimeOrder(db, blocks, 'events'),
      changes: new OwnTimeOrder(db, blocks, 'changes'),
    }
  }

  *after(entity: number, position: number): Generator<Entry, undefined> {
    const head = this.head(entity)
    if (head === undefined) return undefined
    const first = this.blocks.first(entity, head, (end) => end.lastPosition > position)
    for (let number = first; number <= head.blocks; number += 1) {
      for (const entry of this.blocks.entries(entity, head, number)) {
        if (entry.position > position) yield entry
      }
    }
    return undefined
  }

  /** Yields the entries of several logs after a position, together in log order. */
  *afterAll(logs: readonly number[], position: number): Generator<Entry, undefined> {
    const [only] = logs
    if (only !== undefined && logs.length === 1) yield* this.after(only, position)
    else yield* mergedInOrder(logs.map((log) => this.after(log, position)))
    return undefined
  }

  /** Yields the entries of an entity below a position, from the highest position to the lowest. */
  *before(entity: number, position: number): Generator<Entry, undefined> {
    const head = this.head(entity)
    if (head === undefined) return undefined
    const last = this.blocks.first(entity, head, (end) => end.lastPosition >= position)
    for (let number = last; number >= 0; number -= 1) {
      for (const entry of this.blocks.entries(entity, head, number).toReversed()) {
        if (entry.position < position) yield entry
      }
    }
    return undefined
  }

  /** Yields the creation and the property changes of an entity after a position, in log order. */
  *changesAfter(entity: number, position: number): Generator<Entry, undefined> {
    const head = this.head(entity)
    if (head === undefined) return undefined
    let number = this.blocks.first(entity, head, (end) => end.lastPosition > position)
    for (;;) {
      for (const entry of this.blocks.entries(entity, head, number)) {
        if (entry.kind <= changeKind && entry.position > position) yield entry
      }
      if (number === head.blocks) return undefined
      const { changes } = this.blocks.end(entity, head, number)
      if (changes === head.changes) return undefined
      number = this.blocks.first(entity, head, (end) => end.changes > changes, number + 1)
    }
  }

  /**
   * Yields the creation and the property changes of an entity below a position, from the highest position to
   * the lowest.
   */
  *changesBefore(entity: number, position: number): Generator<Entry, undefined> {
    const head = this.head(entity)
    if (head === undefined) return undefined
    let number = this.blocks.first(entity, head, (end) => end.lastPosition >= position)
    for (;;) {
      for (const entry of this.blocks.entries(entity, head, number).toReversed()) {
        if (entry.kind <= changeKind && entry.position < position) yield entry
      }
      const left = number === 0 ? 0 : this.blocks.end(entity, head, number - 1).changes
      if (left === 0) return undefined
      number = this.blocks.first(entity, head, (end) => end.changes >= left, 0, number - 1)
    }
  }

  at(entity: number, position: number): Entry | undefined {
    const { value } = this.after(entity, position - 1).next()
    return value?.position === position ? value : undefined
  }

  /** Returns the position of the first entry whose log time is `logTime` or later. Undefined when there is none. */
  firstSince(entity: number, logTime: number): number | undefined {
    const head = this.head(entity)
    return head && this.blocks.firstSince(entity, head, logTime)?.position
  }

  countUntil(entity: number, position: number): number {
    const head = this.head(entity)
    if (head === undefined) return 0
    const number = this.blocks.first(entity, head, (end) => end.lastPosition > position)
    const entries = this.blocks.entries(entity, head, number)
    return number * entriesOfBlock + entries.filter((entry) => entry.position <= position).length
  }

  /**
   * Yields the facts of a range in the order of own times: the events, or the creation and the changes. Facts with
   * equal own times are yielded in log order.
   */
  *byOwnTime(
    which: ListedFacts,
    entity: number,
    order: TimelineQuery['order'],
    range: OwnTimeRange,
  ): Generator<OwnTimeEvent, undefined> {
    const head = this.head(entity)
    if (head !== undefined) yield* this.ownTimes[which].events(entity, head, order, range)
    return undefined
  }

  /** Voids an event. Returns false when the event is voided already. */
  void(entity: number, { position, at }: TimelineCursor, by: Void): boolean {
    const head = this.head(entity)
    if (head === undefined || !this.voids.add(entity, position, by)) return false
    // If the voided event was the latest, only an event with an earlier or equal own time can be the latest now.
    let { lastEventAt } = head
    if (at === lastEventAt) {
      const search = { kind: undefined, until: at, position: by.position }
      lastEventAt = this.newest.of(entity, search).next().value?.at ?? -Infinity
    }
    this.pending.countVoid(entity, lastEventAt)
    return true
  }

  /**
   * Removes the last block of an erased entity and returns its entries. Returns undefined when no block is
   * left.
   */
  removeLast(entity: number): readonly Entry[] | undefined {
    this.pending.writeOf(entity)
    return this.blocks.removeLast(entity)
  }

  private head(entity: number): LogHead | undefined {
    this.pending.writeOf(entity)
    return this.blocks.head(entity)
  }
}

function* mergedInOrder(sources: readonly Generator<Entry, undefined>[]): Generator<Entry> {
  const next = sources.map((source) => ({ source, entry: source.next().value }))
  for (;;) {
    const positions = next.map(({ entry }) => entry?.position ?? Infinity)
    const first = next[positions.indexOf(Math.min(...positions))]
    if (first?.entry === undefined) return
    yield first.entry
    first.entry = first.source.next().value
  }
}
