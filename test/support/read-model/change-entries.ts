import { prepareRows, type Database } from '../../../src/adapters/sqlite/file/driver.js'
import { valuesIn } from '../../../src/adapters/sqlite/file/row.js'
import {
  BlockWriter,
  entriesIn,
  type Entry,
} from '../../../src/adapters/sqlite/read-model/entity-log/block.js'

/** What becomes of an entry: others in its place, or none. */
export type ChangeOfEntry = (entry: Entry) => readonly Entry[]

/** Writes the blocks of an entity anew, as damage would: what is counted beside them stays. */
export function changeEntries(db: Database, entity: number, change: ChangeOfEntry): void {
  for (const [table, column] of blockColumns) {
    const rows = prepareRows(db, `SELECT ${column} FROM ${table} WHERE entity = ?`)
    const write = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE entity = ? AND ${column} = ?`)
    for (const row of rows.all(entity)) {
      const [block] = valuesIn(row)
      if (!(block instanceof Uint8Array)) throw new TypeError('expected a block')
      write.run(blockOf(entriesIn(block).flatMap(change)), entity, block)
    }
  }
}

const blockColumns = [
  ['entity_logs', 'tail'],
  ['log_blocks', 'entries'],
] as const

function blockOf(entries: readonly Entry[]): Uint8Array {
  const writer = new BlockWriter()
  for (const entry of entries) writer.add(entry)
  return writer.written
}
