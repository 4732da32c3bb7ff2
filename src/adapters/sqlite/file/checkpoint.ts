import { prepareRows, type Database } from './driver.js'
import { numbersIn } from './row.js'

/** Pages in the write-ahead log, and how many of them are in the database file as well. */
export interface Checkpoint {
  readonly logged: number
  readonly copied: number
}

/** Copies what it can from the log into the database file without waiting for anyone. */
export function checkpoint(db: Database): Checkpoint {
  const [, logged = 0, copied = 0] = numbersIn(
    prepareRows(db, 'PRAGMA wal_checkpoint(PASSIVE)').get(),
  )
  return { logged, copied }
}
