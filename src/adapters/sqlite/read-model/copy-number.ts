import { randomInt } from 'node:crypto'
import type { Database } from '../file/driver.js'
import { valueOf } from '../file/schema.js'

/**
 * Raises the copy number, which counts how often the WAL was copied into the file. The number is stored in
 * the header of the read model (`user_version`).
 *
 * The first commit after a complete copy raises the number, at first in the WAL alone. The file itself
 * therefore has either the number in the WAL or the number before it. If somebody puts an older file under
 * the WAL, that file has an even lower number.
 */
export function raiseCopyNumber(db: Database): void {
  setCopyNumber(db, copyNumber(db) + 1)
}

/** Gives a new file a random copy number, which differs from the number of an earlier read model. */
export function beginCopyNumber(db: Database): void {
  setCopyNumber(db, randomInt(1, 2 ** 30))
}

/** Throws when the WAL belongs to another file. `inFile` is the file's own number before the WAL was copied. */
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
