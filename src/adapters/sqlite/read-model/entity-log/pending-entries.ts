import { BufferedInsert } from '../../file/buffered-insert.js'
import type { Database, Statement } from '../../file/driver.js'
import { changeKind, creationKind, firstEventKind } from '../fact-kinds.js'
import { BlockWriter, type Entry } from './block.js'
import type { LatestEvents } from './latest-events.js'
import {
  type LogBlocks,
  type LogCounts,
  type LogHead,
  logHeadColumns,
  valueOfInstant,
} from './log-blocks.js'
import { wholeWork, type Slice } from '../slice.js'

export type NewEntry = Omit<Entry, 'isStraggler'>

type StragglerRow = [entity: number, occurredAt: number, position: number, kind: number]

/** The number of values per entry: position, kind, log time, `lagMs`, and `at`. */
const columns = 5
const firstCapacity = 1_024
/** The number of entities whose entries are written between two checks of the slice. */
const entitiesAtOnce = 64
const none = -1

const emptyLog: LogHead = {
  eventCount: 0,
  voided: 0,
  lastEventAt: -Infinity,
  latestAt: -Infinity,
  inOrder: 0,
  changes: 0,
  latestChangeAt: -Infinity,
  changesInOrder: 0,
  blocks: 0,
  bytes: new Uint8Array(0),
  tailFrom: 0,
}

/**
 * Buffers new log entries. With the buffer, the row of an entity is read and written once for many facts. Rows
 * are written in table order, because neighbouring rows share a page. The entries are numbers in typed arrays,
 * 44 bytes per entry, so that the garbage collector has no objects to trace.
 */
export class PendingEntries {
  count = 0
  private numbers = new Float64Array(firstCapacity * columns)
  /**
   * The index of the entity's previous entry, for each entry. `none` if the entry is the first of its entity.
   */
  private previous = new Int32Array(firstCapacity)
  private readonly lastOf = new Map<number, number>()
  /**
   * The entities whose entries are to be written, in table order. The entries of the first `done` entities are
   * already written.
   */
  private order = new Float64Array(0)
  private done = 0
  private readonly late: Readonly<Record<'events' | 'changes', StragglerRow[]>> = {
    events: [],
    changes: [],
  }
  private readonly writer = new BlockWriter()
  private readonly close: Statement
  private readonly rows: BufferedInsert
  private readonly lateRows: Readonly<Record<'events' | 'changes', BufferedInsert>>

  constructor(
    db: Database,
    private readonly blocks: LogBlocks,
    private readonly latest: LatestEvents,
  ) {
    this.close = db.prepare('INSERT INTO log_blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.rows = new BufferedInsert(db, 'entity_logs', 'INSERT OR REPLACE')
    this.lateRows = {
      events: new BufferedInsert(db, 'stragglers'),
      changes: new BufferedInsert(db, 'late_changes'),
    }
  }

  /** True after `writeSome` has written some of the entries and before it has written all of them. */
  get isPartlyWritten(): boolean {
    return this.done > 0
  }

  get entities(): number {
    return this.lastOf.size
  }

  /** Adds an entry. Call it in log order for each entity. The first entry of an entity must be its creation. */
  add(entity: number, { position, kind, logTime, lagMs, at }: NewEntry): void {
    const { count } = this
    if (count === this.previous.length) this.grow()
    const { numbers } = this
    const first = count * columns
    numbers[first] = position
    numbers[first + 1] = kind
    numbers[first + 2] = logTime
    numbers[first + 3] = lagMs
    numbers[first + 4] = at
    this.previous[count] = this.lastOf.get(entity) ?? none
    this.lastOf.set(entity, count)
    this.count = count + 1
  }

  write(): void {
    this.writeSome(wholeWork)
  }

  /**
   * Writes entries until the slice ends. Returns true when all entries are written. Until then, do not add or
   * read entries.
   */
  writeSome(slice: Slice): boolean {
    if (this.count === 0) return true
    if (this.done === 0) this.order = Float64Array.from(this.lastOf.keys()).sort()
    const { order } = this
    while (this.done < order.length) {
      for (const entity of order.subarray(this.done, this.done + entitiesAtOnce)) {
        this.append(entity)
      }
      this.done += entitiesAtOnce
      if (slice.endsHere()) return false
    }
    this.rows.write()
    this.writeStragglers()
    this.lastOf.clear()
    this.order = new Float64Array(0)
    this.done = 0
    this.count = 0
    return true
  }

  writeOf(entity: number): void {
    if (!this.lastOf.has(entity)) return
    this.append(entity)
    this.rows.write()
    this.writeStragglers()
    this.lastOf.delete(entity)
    if (this.lastOf.size === 0) this.count = 0
  }

  /**
   * Stores that one more event of an entity is voided. `lastEventAt` is the latest own time of an event that is not
   * voided. The entries of the entity must be written.
   */
  countVoid(entity: number, lastEventAt: number): void {
    const head = this.blocks.head(entity)
    if (head === undefined) throw new TypeError(`entity ${String(entity)} has no log`)
    this.writer.begin(head.bytes, head.tailFrom)
    const counts = { ...head, voided: head.voided + 1, lastEventAt }
    this.rows.add(entity, ...logHeadColumns(counts, this.writer))
    this.rows.write()
    this.latest.set(entity, lastEventAt)
  }

  private grow(): void {
    const { numbers, previous } = this
    this.numbers = new Float64Array(numbers.length * 2)
    this.numbers.set(numbers)
    this.previous = new Int32Array(previous.length * 2)
    this.previous.set(previous)
  }

  private append(entity: number): void {
    const entries = this.entriesOf(entity)
    const isNew = entries[0]?.kind === creationKind
    const head = isNew ? { ...emptyLog } : this.blocks.head(entity)
    if (head === undefined) throw new TypeError(`entity ${String(entity)} has no log`)
    const { writer } = this
    writer.begin(head.bytes, head.tailFrom)
    // No other code has this head, so its counts change in place.
    const counts: LogCounts = head
    for (const entry of entries) {
      if (writer.isFull) this.closeBlock(entity, counts)
      const isStraggler = isLate(counts, entry)
      writer.add(entry, isStraggler)
      countEntry(counts, entry, isStraggler)
      if (!isStraggler) continue
      const late = entry.kind >= firstEventKind ? this.late.events : this.late.changes
      late.push([entity, entry.at, entry.position, entry.kind])
    }
    this.rows.add(entity, ...logHeadColumns(counts, writer))
    this.latest.add(entity, counts.lastEventAt)
  }

  private closeBlock(entity: number, counts: LogCounts): void {
    const { latestAt, inOrder, changes, latestChangeAt, changesInOrder, blocks } = counts
    const { writer } = this
    this.close.run(
      entity,
      blocks,
      writer.lastPosition,
      valueOfInstant(latestAt),
      inOrder,
      changes,
      valueOfInstant(latestChangeAt),
      changesInOrder,
      writer.written(),
    )
    writer.clear()
    counts.blocks += 1
  }

  /** Returns the buffered entries of an entity, in log order. */
  private entriesOf(entity: number): readonly NewEntry[] {
    const { numbers, previous } = this
    const entries: NewEntry[] = []
    for (let at = this.lastOf.get(entity) ?? none; at !== none; at = previous[at] ?? none) {
      const first = at * columns
      entries.push({
        position: numbers[first] ?? 0,
        kind: numbers[first + 1] ?? 0,
        logTime: numbers[first + 2] ?? 0,
        lagMs: numbers[first + 3] ?? 0,
        at: numbers[first + 4] ?? 0,
      })
    }
    return entries.reverse()
  }

  private writeStragglers(): void {
    for (const which of ['events', 'changes'] as const) {
      const late = this.late[which].splice(0)
      if (late.length === 0) continue
      late.sort((left, right) => left[0] - right[0] || left[1] - right[1] || left[2] - right[2])
      for (const row of late) this.lateRows[which].add(...row)
      this.lateRows[which].write()
    }
  }
}

function isLate({ latestAt, latestChangeAt }: LogCounts, { kind, at }: NewEntry): boolean {
  if (kind >= firstEventKind) return at < latestAt
  return kind <= changeKind && at < latestChangeAt
}

function countEntry(counts: LogCounts, { kind, at }: NewEntry, isStraggler: boolean): void {
  if (kind <= changeKind) {
    counts.changes += 1
    if (isStraggler) return
    counts.changesInOrder += 1
    counts.latestChangeAt = at
    return
  }
  if (kind < firstEventKind) return
  counts.eventCount += 1
  counts.lastEventAt = Math.max(counts.lastEventAt, at)
  if (isStraggler) return
  counts.inOrder += 1
  counts.latestAt = at
}
