import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
// Has the interface of Node's own `node:sqlite`, which Node 20 lacks.
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite'

export type Database = InstanceType<typeof DatabaseSync>

/** Opens the database. Creates the file, its folder and the tables when missing. */
export function openDatabase(path: string, tables: string): Database {
  mkdirSync(dirname(path), { recursive: true })
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA busy_timeout = 5000')
    // A power loss may undo the last transactions. The view and its position are undone together.
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
    db.exec(tables)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Runs `work` in a transaction: all of its changes are stored, or none. */
export function inTransaction(db: Database, work: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Makes a statement return its rows as arrays of columns. */
export function rowsOf(statement: StatementSyncInstance): StatementSyncInstance {
  statement.setReturnArrays(true)
  return statement
}
