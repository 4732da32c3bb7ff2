import { randomInt } from 'node:crypto'
import type { Database } from '../file/driver.js'
import { valueOf } from '../file/schema.js'

/**
 * Increases the copy number, which counts the copies of the WAL into the file. The number is stored in the header
 * of the read model (`user_version`).
 *
 * The first commit after a complete copy increases the number, at first only in the WAL. The number in the file
 * itself is therefore equal to the number in the WAL, or lower by one. An older file that somebody puts in place of
 * the file has a still lower number.
 */
export function raiseCopyNumber(db: Database): void {
  setCopyNumber(db, copyNumber(db) + 1)
}

/**
 * Sets a random copy number for a new file, so that it differs from the copy number of an earlier read model.
 */
export function beginCopyNumber(db: Database): void {
  setCopyNumber(db, randomInt(1, 2 ** 30))
}

/**
 * Throws when the WAL belongs to another file. `inFile` is the copy number in the file itself, read before the
 * WAL was copied.
 */
export function assertLogOfFile(db: Database, inFile: number | undefined): void {
  const withLog = copyNumber(db)
  if (inFile === withLog || inFile === withLog - 1) return
  throw new Error(
    'its write-ahead log belongs to a newer state of the file: an older file was put in its place',
  )
}

export function copyNumber(db: Database): number {
  return Number(valueOf(db, 'PRAGMA user_version'))
}

function setCopyNumber(db: Database, number: number): void {
  db.exec(`PRAGMA user_version = ${String(number)}`)
}
