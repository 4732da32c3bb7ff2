import { randomInt } from 'node:crypto'
import type { Database } from '../file/driver.js'
import { valueOf } from '../file/schema.js'

/**
 * The header of a read model counts the copies of the write-ahead log into the file (`user_version`). The first
 * commit after a complete copy raises the number, in the log alone. So the file by itself has the number that
 * the log says, or the number before. An older file that was moved under the log has an earlier number.
 */
export function raiseCopyNumber(db: Database): void {
  setCopyNumber(db, copyNumber(db) + 1)
}

/** A new file begins with a random number: a file of an earlier build has another one. */
export function beginCopyNumber(db: Database): void {
  setCopyNumber(db, randomInt(1, 2 ** 30))
}

/** `inFile`: the number in the file itself, read before the log was copied. Throws for a log of another file. */
export function assertLogOfFile(db: Database, inFile: number | undefined): void {
  const withLog = copyNumber(db)
  if (inFile === withLog || inFile === withLog - 1) return
  throw new Error(
    'its log belongs to another state of the file: an older file was put in its place',
  )
}

export function copyNumber(db: Database): number {
  return Number(valueOf(db, 'PRAGMA user_version'))
}

function setCopyNumber(db: Database, number: number): void {
  db.exec(`PRAGMA user_version = ${String(number)}`)
}
