import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
// Has the interface of Node's own `node:sqlite`, which Node 20 lacks.
import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite'

export type Database = InstanceType<typeof DatabaseSync>

/** Opens the database. Creates the file, its folder and the tables when missing. */
export function openDatabase(path: string, tables: string): Database {
  makeFolder(dirname(resolve(path)))
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

/**
 * Creates a folder and its missing parents, one at a time. The recursive `mkdirSync` never returns when the system
 * answers ENOENT for a folder whose parent exists, as `/proc` does.
 */
function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created the folder meanwhile.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
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
