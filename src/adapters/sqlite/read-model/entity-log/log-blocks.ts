import { type Database, prepareAll, type Statements } from '../../file/driver.js'
import { bytesIn, valuesIn } from '../../file/row.js'
import { entriesIn, type Entry, type BlockWriter } from './block.js'
import { PackedReader, PackedWriter } from './packed-numbers.js'

/**
 * The facts of each entity, in the order of their positions, in blocks (see block.ts): full ones in
 * `log_blocks`, numbered from 0, and the last one in `entity_logs`, behind what is counted of the entity
 * (`LogHead`), where a fact is appended. Beside a full block is what there is up to its end.
 * `latest_at`: the greatest own time of an event; `in_order`: how many events are no stragglers;
 * `changes`: how many facts are in a history. `stragglers`: the events whose own time lies before that
 * of one which was recorded earlier, so that all others are in the order of their own time as well.
 */
export const logTables = `
  CREATE TABLE entity_logs (
    entity INTEGER PRIMARY KEY,
    log BLOB NOT NULL
  ) STRICT;
  CREATE TABLE log_blocks (
    entity INTEGER NOT NULL,
    number INTEGER NOT NULL,
    last_position INTEGER NOT NULL,
    latest_at INTEGER,
    in_order INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (entity, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE stragglers (
    entity INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    PRIMARY KEY (entity, occurred_at, position)
  ) STRICT, WITHOUT ROWID;`

export interface BlockEnd extends Pick<LogHead, 'latestAt' | 'inOrder' | 'changes'> {
  readonly lastPosition: number
}

/** The last block goes on to the end, whatever is looked for. */
const noEnd: BlockEnd = {
  lastPosition: Infinity,
  latestAt: Infinity,
  inOrder: Infinity,
  changes: Infinity,
}

/** Reads the blocks of one entity after the other. */
export class LogBlocks {
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  head(entity: number): LogHead | undefined {
    const row = this.statements.head.get(entity)
    return row === undefined ? undefined : logHeadIn(bytesIn(valuesIn(row)[0]))
  }

  entries(entity: number, head: LogHead, number: number): readonly Entry[] {
    if (number === head.blocks) return entriesIn(head.bytes, head.tailFrom)
    const row = this.statements.entries.get(entity, number)
    return row === undefined ? missing(entity, number) : entriesIn(bytesIn(valuesIn(row)[0]))
  }

  /** The last block, of which nothing else is left then; undefined: there is none. */
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
    const [lastPosition, latestAt, inOrder, changes] = valuesIn(row)
    return {
      lastPosition: Number(lastPosition),
      latestAt: instantIn(latestAt),
      inOrder: Number(inOrder),
      changes: Number(changes),
    }
  }

  /**
   * The first block from number `from` on of whose end something is true that stays true; of block `to`
   * it is true. Most lists begin near the newest facts: the looks go back from there in steps that
   * double, then halve what is between the last two.
   */
  first(
    entity: number,
    head: LogHead,
    isTrueOf: (end: BlockEnd) => boolean,
    from = 0,
    to = head.blocks,
  ): number {
    let low = from
    let high = to
    const look = (number: number) => {
      const isTrue = isTrueOf(this.end(entity, head, number))
      if (isTrue) high = number
      else low = number + 1
      return isTrue
    }
    for (let step = 1; low < high && look(Math.max(low, high - step));) step *= 2
    while (low < high) look(Math.floor((low + high) / 2))
    return low
  }
}

const sql = {
  head: 'SELECT log FROM entity_logs WHERE entity = ?',
  entries: 'SELECT entries FROM log_blocks WHERE entity = ? AND number = ?',
  removeHead: 'DELETE FROM entity_logs WHERE entity = ?',
  last: 'SELECT number, entries FROM log_blocks WHERE entity = ? ORDER BY number DESC LIMIT 1',
  remove: 'DELETE FROM log_blocks WHERE entity = ? AND number = ?',
  end: `SELECT last_position, latest_at, in_order, changes
       FROM log_blocks WHERE entity = ? AND number = ?`,
}

function instantIn(value: unknown): number {
  return value === null ? -Infinity : Number(value)
}

function missing(entity: number, number: number): never {
  throw new TypeError(`block ${String(number)} of entity ${String(entity)} is missing`)
}

export interface LogCounts {
  eventCount: number
  /** The greatest own time of an event; -Infinity: there is none. */
  latestAt: number
  /** How many events are no stragglers. */
  inOrder: number
  changes: number
  /** The number of full blocks, and so the number of the last one. */
  blocks: number
}

export interface LogHead extends Readonly<LogCounts> {
  /** The last block begins at `tailFrom`. */
  readonly bytes: Uint8Array
  readonly tailFrom: number
}

const maxBytes = 48

/** In SQL: of a row of `entity_logs`, without its last block, which a count has no need of. */
export const countsColumn = `substr(entity_logs.log, 1, ${String(maxBytes)})`

const reader = new PackedReader()
const writer = new PackedWriter()

/** `bytes`: a row, or its `countsColumn`. */
export function logHeadIn(bytes: Uint8Array): LogHead {
  reader.begin(bytes)
  const eventCount = reader.number()
  const latestAt = eventCount === 0 ? -Infinity : reader.signed()
  const stragglers = reader.number()
  const changes = reader.number()
  const blocks = reader.number()
  const inOrder = eventCount - stragglers
  return { eventCount, latestAt, inOrder, changes, blocks, bytes, tailFrom: reader.next }
}

export function logHeadBytes(counts: Readonly<LogCounts>, tail: BlockWriter): Uint8Array {
  const { eventCount, latestAt, inOrder, changes, blocks } = counts
  writer.clear()
  writer.putNumber(eventCount)
  if (eventCount > 0) writer.putSigned(latestAt)
  writer.putNumber(eventCount - inOrder)
  writer.putNumber(changes)
  writer.putNumber(blocks)
  return tail.written(writer)
}
