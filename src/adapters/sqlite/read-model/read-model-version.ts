import { prepareRows, type Database } from '../file/driver.js'
import { valuesIn } from '../file/row.js'
import { factTable } from '../../../application/facts/fact-table.js'

/**
 * The version of the tables. Increase it when the tables or the meaning of their data change. A file with
 * another version is rebuilt.
 */
const tablesVersion = 19

export const checkpointTable = `
  CREATE TABLE checkpoint (
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    log_time INTEGER NOT NULL
  ) STRICT;
  INSERT INTO checkpoint VALUES (0, '', 0);`

/** Returns a text that changes with the tables, and with the fact types that determine their contents. */
export function fingerprintOf(factsFile: string | undefined): string {
  const types = Object.values(factTable).map(({ type, version }) => `${type} ${String(version)}`)
  return [
    `tables ${String(tablesVersion)}`,
    factsFile === undefined ? 'with facts' : 'without facts',
    ...types,
  ].join(', ')
}

export function storedCheckpoint(db: Database) {
  const row = prepareRows(db, 'SELECT position, id, log_time FROM checkpoint').get()
  const [position, id, logTime] = valuesIn(row)
  return { checkpoint: { position: Number(position), id: String(id) }, logTime: Number(logTime) }
}
