import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
// Node's own `node:sqlite` has the same interface; Node 20 lacks it.
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite'

export type Database = InstanceType<typeof DatabaseSync>

/** The file and its folder are made when missing, and the tables in it. */
export function openDatabase(path: string, tables: string): Database {
  mkdirSync(dirname(path), { recursive: true })
  const db = new DatabaseSync(path)
  try {
    db.exec('PRAGMA busy_timeout = 5000')
    // A loss of power may take the last transactions away: view and position go back together.
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
    db.exec(tables)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** All that the work writes is kept, or nothing of it. */
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

/** With its rows as arrays of their columns. */
export function rowsOf(statement: StatementSyncInstance): StatementSyncInstance {
  statement.setReturnArrays(true)
  return statement
}
