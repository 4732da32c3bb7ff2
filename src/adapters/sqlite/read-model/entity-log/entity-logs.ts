import type { TimelineQuery } from '../../../../application/reading/ports/read-model.js'
import type { Database } from '../../file/driver.js'
import { changeKind } from '../fact-kinds.js'
import { entriesOfBlock, type Entry } from './block.js'
import { LogBlocks, type LogHead } from './log-blocks.js'
import { OwnTimeOrder, type OwnTimeEvent, type OwnTimeRange } from './own-time-order.js'
import { PendingEntries } from './pending-entries.js'

/**
 * The facts of each entity: where they are in the log, and what need not be read from them.
 * What is appended is buffered until `write`, or until that entity is read. Every list is made lazily,
 * a block at a time, and begins where it is to without looking at what is before; facts that are
 * appended meanwhile are not in it.
 */
export class EntityLogs {
  /** What was appended and is not written; a list of an entity writes its own first. */
  readonly pending: PendingEntries
  private readonly blocks: LogBlocks
  private readonly ownTimes: OwnTimeOrder

  constructor(db: Database) {
    const blocks = new LogBlocks(db)
    this.blocks = blocks
    this.pending = new PendingEntries(db, blocks)
    this.ownTimes = new OwnTimeOrder(db, blocks)
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

  /** The facts before a position, in the reverse order. */
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

  /** Those of them that are in a history: the creation and changes of properties. */
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

  countUntil(entity: number, position: number): number {
    const head = this.head(entity)
    if (head === undefined) return 0
    const number = this.blocks.first(entity, head, (end) => end.lastPosition > position)
    const entries = this.blocks.entries(entity, head, number)
    return number * entriesOfBlock + entries.filter((entry) => entry.position <= position).length
  }

  /** The events of a range by their own time; those of one instant in the order of recording. */
  *byOwnTime(
    entity: number,
    order: TimelineQuery['order'],
    range: OwnTimeRange,
  ): Generator<OwnTimeEvent, undefined> {
    const head = this.head(entity)
    if (head !== undefined) yield* this.ownTimes.events(entity, head, order, range)
    return undefined
  }

  /** Removes the last entries of an entity that is erased, and returns them; undefined: there are none. */
  removeLast(entity: number): readonly Entry[] | undefined {
    this.pending.writeOf(entity)
    return this.blocks.removeLast(entity)
  }

  private head(entity: number): LogHead | undefined {
    this.pending.writeOf(entity)
    return this.blocks.head(entity)
  }
}
