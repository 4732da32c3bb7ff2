import { type Database, prepareAll, type Statements } from '../../file/driver.js'
import { bytesIn, valuesIn } from '../../file/row.js'
import { entriesIn, type Entry, type BlockWriter } from './block.js'
import { PackedReader, PackedWriter } from './packed-numbers.js'
import { voidTable } from './voided-events.js'

/**
 * The tables of the entity logs. Each log is stored in blocks, in log order (see `block.ts`). Full blocks are rows
 * of `log_blocks`, numbered from 0. The last block is in `entity_logs`, after the counts of the entity (`LogHead`).
 * New entries are appended to the last block.
 *
 * The column `last_event_at` of `entity_logs` is the latest own time of an event that is not voided, or null. It is
 * a column of its own, so that `latest-events.ts` can compare it in SQL.
 *
 * The row of a full block contains these counts of the log, up to the end of the block:
 * - `latest_at`: the latest time of occurrence of an event;
 * - `in_order`: the number of events that are not late;
 * - `changes`: the number of creations and property changes;
 * - `latest_change_at`: the latest own time of a change;
 * - `changes_in_order`: the number of changes that are not late.
 *
 * The table `stragglers` contains the late events, and the table `late_changes` the late changes. An event is late
 * if an event with a lower position has a later own time. In the log, all other events are sorted by own time. The
 * same applies to changes. A creation counts as a change. Blocks, counts and tables include voided events, which
 * `voided-events.ts` lists.
 */
export const logTables = `
  CREATE TABLE entity_logs (
    entity INTEGER PRIMARY KEY,
    last_event_at INTEGER,
    log BLOB NOT NULL
  ) STRICT;
  CREATE TABLE log_blocks (
    entity INTEGER NOT NULL,
    number INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    latest_at INTEGER,
    in_order INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    latest_change_at INTEGER,
    changes_in_order INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (entity, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE stragglers (
    entity INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    PRIMARY KEY (entity, occurred_at, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE late_changes (
    entity INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    PRIMARY KEY (entity, occurred_at, position)
  ) STRICT, WITHOUT ROWID;
  ${voidTable}`

export interface BlockEnd extends Pick<
  LogHead,
  'latestAt' | 'inOrder' | 'changes' | 'latestChangeAt' | 'changesInOrder'
> {
  readonly lastPosition: number
}

/**
 * Stands for the end of the last block, because the end of the last block is not stored. Satisfies every search
 * condition.
 */
const noEnd: BlockEnd = {
  lastPosition: Infinity,
  latestAt: Infinity,
  inOrder: Infinity,
  changes: Infinity,
  latestChangeAt: Infinity,
  changesInOrder: Infinity,
}

/** Reads and removes the blocks of entity logs. */
export class LogBlocks {
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  head(entity: number): LogHead | undefined {
    const row = this.statements.head.get(entity)
    if (row === undefined) return undefined
    const [lastEventAt, log] = valuesIn(row)
    return logHeadIn(lastEventAt, bytesIn(log))
  }

  entries(entity: number, head: LogHead, number: number): readonly Entry[] {
    if (number === head.blocks) return entriesIn(head.bytes, head.tailFrom)
    const row = this.statements.entries.get(entity, number)
    return row === undefined ? missing(entity, number) : entriesIn(bytesIn(valuesIn(row)[0]))
  }

  /**
   * Removes the last block of an entity and returns its entries. Returns undefined when the entity has no
   * block.
   */
  removeLast(entity: number): readonly Entry[] | undefined {
    const head = this.head(entity)
    if (head !== undefined) {
      this.statements.removeHead.run(entity)
      return entriesIn(head.bytes, head.tailFrom)
    }
    const row = this.statements.last.get(entity)
    if (row === undefined) return undefined
    const [number, entries] = valuesIn(row)
    this.statements.remove.run(entity, Number(number))
    return entriesIn(bytesIn(entries))
  }

  end(entity: number, head: LogHead, number: number): BlockEnd {
    if (number >= head.blocks) return noEnd
    const row = this.statements.end.get(entity, number)
    if (row === undefined) return missing(entity, number)
    const [lastPosition, latestAt, inOrder, changes, latestChangeAt, changesInOrder] = valuesIn(row)
    return {
      lastPosition: Number(lastPosition),
      latestAt: instantIn(latestAt),
      inOrder: Number(inOrder),
      changes: Number(changes),
      latestChangeAt: instantIn(latestChangeAt),
      changesInOrder: Number(changesInOrder),
    }
  }

  /**
   * Returns the number of the first block whose end satisfies a condition, among the blocks `from` to `to`.
   * Block `to` must satisfy the condition, and every block after a satisfying block must satisfy it too. The
   * search goes back from `to` in doubling steps and then halves the last step, because most queries begin near
   * the newest facts.
   */
  first(
    entity: number,
    head: LogHead,
    isTrueOf: (end: BlockEnd) => boolean,
    from = 0,
    to = head.blocks,
  ): number {
    return firstBlock((number) => isTrueOf(this.end(entity, head, number)), from, to)
  }

  /** Returns the first entry whose log time is `logTime` or later. Log time never falls from one entry to the next. */
  firstSince(entity: number, head: LogHead, logTime: number): Entry | undefined {
    const isSince = (entry: Entry) => entry.logTime >= logTime
    const hasAny = (number: number) =>
      number === head.blocks || this.entries(entity, head, number).slice(-1).some(isSince)
    return this.entries(entity, head, firstBlock(hasAny, 0, head.blocks)).find(isSince)
  }
}

function firstBlock(isTrueOf: (number: number) => boolean, from: number, to: number): number {
  let low = from
  let high = to
  const narrow = (number: number) => {
    const isTrue = isTrueOf(number)
    if (isTrue) high = number
    else low = number + 1
    return isTrue
  }
  for (let step = 1; low < high && narrow(Math.max(low, high - step));) step *= 2
  while (low < high) narrow(Math.floor((low + high) / 2))
  return low
}

const sql = {
  head: 'SELECT last_event_at, log FROM entity_logs WHERE entity = ?',
  entries: 'SELECT entries FROM log_blocks WHERE entity = ? AND number = ?',
  removeHead: 'DELETE FROM entity_logs WHERE entity = ?',
  last: 'SELECT number, entries FROM log_blocks WHERE entity = ? ORDER BY number DESC LIMIT 1',
  remove: 'DELETE FROM log_blocks WHERE entity = ? AND number = ?',
  end: `SELECT last_position, latest_at, in_order, changes, latest_change_at, changes_in_order
       FROM log_blocks WHERE entity = ? AND number = ?`,
}

function instantIn(value: unknown): number {
  return value === null ? -Infinity : Number(value)
}

/** Returns the value of a column that contains an instant or null. */
export function valueOfInstant(instant: number): number | null {
  return instant === -Infinity ? null : instant
}

function missing(entity: number, number: number): never {
  throw new TypeError(`block ${String(number)} of entity ${String(entity)} is missing`)
}

export interface LogCounts {
  /** The number of events, voided ones included. */
  eventCount: number
  /** The number of voided events. */
  voided: number
  /** The latest own time of an event that is not voided, or -Infinity when there is none. */
  lastEventAt: number
  /** The latest time of occurrence of an event, voided or not, or -Infinity when there are no events. */
  latestAt: number
  /** The number of events that are not late. */
  inOrder: number
  changes: number
  /** The latest own time of a creation or change, or -Infinity when there is none. */
  latestChangeAt: number
  /** The number of changes that are not late. */
  changesInOrder: number
  /** The number of full blocks. It is also the number of the last block, because full blocks are numbered from 0. */
  blocks: number
}

export interface LogHead extends Readonly<LogCounts> {
  /** The column `log` of `entity_logs`. The last block begins at byte `tailFrom`. */
  readonly bytes: Uint8Array
  readonly tailFrom: number
}

const maxBytes = 80

/** SQL that selects the counts from a row of `entity_logs`, without the last block. */
export const countsColumns = `last_event_at, substr(entity_logs.log, 1, ${String(maxBytes)})`

const reader = new PackedReader()
const writer = new PackedWriter()

/** Returns the counts in two columns of `entity_logs`, or in the result of `countsColumns`. */
export function logHeadIn(last: unknown, bytes: Uint8Array): LogHead {
  const lastEventAt = instantIn(last)
  reader.begin(bytes)
  const counted = reader.number()
  const stragglers = reader.number()
  const changes = reader.number()
  const latestChangeAt = changes === 0 ? -Infinity : reader.signed()
  const changesInOrder = changes === 0 ? 0 : changes - reader.number()
  const blocks = reader.number()
  const voided = reader.number()
  const latestAt = voided === 0 ? lastEventAt : reader.signed()
  const eventCount = counted + voided
  const inOrder = eventCount - stragglers
  return {
    eventCount,
    voided,
    lastEventAt,
    latestAt,
    inOrder,
    changes,
    latestChangeAt,
    changesInOrder,
    blocks,
    bytes,
    tailFrom: reader.next,
  }
}

/** Returns the columns of `entity_logs` after `entity`. */
export function logHeadColumns(
  counts: Readonly<LogCounts>,
  tail: BlockWriter,
): [lastEventAt: number | null, log: Uint8Array] {
  const { eventCount, latestAt, inOrder, changes, latestChangeAt, changesInOrder, blocks } = counts
  const { voided, lastEventAt } = counts
  writer.clear()
  writer.putNumber(eventCount - voided)
  writer.putNumber(eventCount - inOrder)
  writer.putNumber(changes)
  if (changes > 0) {
    writer.putSigned(latestChangeAt)
    writer.putNumber(changes - changesInOrder)
  }
  writer.putNumber(blocks)
  writer.putNumber(voided)
  if (voided > 0) writer.putSigned(latestAt)
  return [valueOfInstant(lastEventAt), tail.written(writer)]
}
