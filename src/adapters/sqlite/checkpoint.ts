import type Database from 'libsql'

/** Pages in the write-ahead log, and how many of them are in the database file as well. */
export interface Checkpoint {
  readonly logged: number
  readonly copied: number
}

/** Copies what it can from the log into the database file without waiting for anyone. */
export function checkpoint(db: Database.Database): Checkpoint {
  const row = db.prepare('PRAGMA wal_checkpoint(PASSIVE)').raw().get()
  if (!Array.isArray(row)) throw new TypeError('a checkpoint without an answer')
  return { logged: Number(row[1]), copied: Number(row[2]) }
}
