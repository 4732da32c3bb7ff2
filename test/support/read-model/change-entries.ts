import { prepareRows, type Database } from '../../../src/adapters/sqlite/file/driver.js'
import { valuesIn } from '../../../src/adapters/sqlite/file/row.js'
import {
  BlockWriter,
  entriesIn,
  type Entry,
} from '../../../src/adapters/sqlite/read-model/entity-log/block.js'
import {
  logHeadColumns,
  logHeadIn,
  type LogCounts,
} from '../../../src/adapters/sqlite/read-model/entity-log/log-blocks.js'

/** Returns the entries that replace an entry. An empty list removes it. */
export type ChangeOfEntry = (entry: Entry) => readonly Entry[]

/** Rewrites the blocks of an entity, to simulate damage. The counts beside the blocks stay unchanged. */
export function changeEntries(db: Database, entity: number, change: ChangeOfEntry): void {
  const blocks = prepareRows(db, 'SELECT number, entries FROM log_blocks WHERE entity = ?')
  const write = db.prepare('UPDATE log_blocks SET entries = ? WHERE entity = ? AND number = ?')
  for (const row of blocks.all(entity)) {
    const [number, block] = valuesIn(row)
    const changed = entriesIn(bytesIn(block)).flatMap(change)
    write.run(writerOf(changed).written(), entity, Number(number))
  }
  changeRow(db, entity, (counts) => counts, change)
}

/** Rewrites the counts of an entity. Its entries stay unchanged. */
export function changeCounts(
  db: Database,
  entity: number,
  change: (counts: Readonly<LogCounts>) => LogCounts,
): void {
  changeRow(db, entity, change, (entry) => [entry])
}

function changeRow(
  db: Database,
  entity: number,
  changeOf: (counts: Readonly<LogCounts>) => LogCounts,
  change: ChangeOfEntry,
): void {
  const select = 'SELECT last_event_at, log FROM entity_logs WHERE entity = ?'
  const [lastEventAt, log] = valuesIn(prepareRows(db, select).get(entity))
  const head = logHeadIn(lastEventAt, bytesIn(log))
  const tail = writerOf(entriesIn(head.bytes, head.tailFrom).flatMap(change))
  const write = db.prepare('UPDATE entity_logs SET last_event_at = ?, log = ? WHERE entity = ?')
  write.run(...logHeadColumns(changeOf(head), tail), entity)
}

function writerOf(entries: readonly Entry[]): BlockWriter {
  const writer = new BlockWriter()
  for (const entry of entries) writer.add(entry, entry.isStraggler)
  return writer
}

function bytesIn(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new TypeError('expected a block')
}
