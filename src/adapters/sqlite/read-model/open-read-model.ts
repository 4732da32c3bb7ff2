import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { openDatabase, type Database, reasonOf } from '../file/driver.js'
import type { HeldFile } from '../file/held-file.js'
import { maxCheckedBytes, readHeader } from '../file/inspect-file.js'
import { openWithLog } from '../file/open-connection.js'
import { valueOf } from '../file/schema.js'
import { assertCompleteLog, removeMarker } from './copy-log.js'
import { assertLogOfFile, beginCopyNumber, copyNumber } from './copy-number.js'
import { applicationId, assertNotTruncated, buildingPath } from './read-model-files.js'

export interface FileOptions {
  readonly tables: string
  readonly fingerprint: string
  readonly onDamage: (reason: string) => void
}

export interface OpenedFile {
  readonly db: Database
  readonly isBuilding: boolean
  /** True when all commits in the WAL are also in the database file. */
  isCopied: boolean
}

/**
 * Opens a complete read model. Returns undefined when the file must be rebuilt.
 *
 * `inFile` is the copy number in the file itself, read before anything could copy the WAL into the file. `passes`
 * returns true for errors that do not mean that the file is damaged. This function throws such errors.
 */
export function openComplete(
  file: HeldFile,
  options: FileOptions,
  inFile?: number,
  passes: (error: unknown) => boolean = () => false,
): OpenedFile | undefined {
  const { path } = file
  if (sizeOf(path) === 0) return undefined
  try {
    const header = readHeader(file.descriptor)
    assertNotTruncated(path, header)
    const own = inFile ?? header?.version
    const db = openForUse(path)
    try {
      assertLogOfFile(db, own)
      const isCopyEnded = assertCompleteLog(db, path)
      assertWhole(db, path, options.fingerprint)
      return { db, isBuilding: false, isCopied: isCopyEnded || copyNumber(db) === own }
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    if (passes(error)) throw error
    options.onDamage(reasonOf(error))
    return undefined
  }
}

export function removeFiles(path: string): void {
  const building = buildingPath(path)
  for (const name of [building, `${building}-journal`]) rmSync(name, { force: true })
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
  removeMarker(path)
}

export function beginBuild(path: string, options: FileOptions): OpenedFile {
  const building = buildingPath(path)
  removeFiles(path)
  closeSync(openSync(building, 'wx', 0o600))
  const db = openDatabase(building)
  try {
    // No process reads the new file yet, and no other process can rebuild the same file: see `takeReadModel`.
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    return { db: asEmpty(db, options), isBuilding: true, isCopied: false }
  } catch (error) {
    // An open transaction would keep the space of the file. On a full disk, a rebuild begins again and again.
    unlock(db)
    db.close()
    throw error
  }
}

export function asEmpty(db: Database, { tables, fingerprint }: FileOptions): Database {
  // Writes no journal file. A driver in SQLite's defensive mode ignores `OFF` and would keep the journal file. The
  // journal in memory is small: it contains only pages that existed when the transaction began.
  db.exec('PRAGMA journal_mode = MEMORY')
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA cache_size = -65536')
  db.exec('PRAGMA secure_delete = ON')
  // One transaction writes each page once. A file that a failure leaves half-written is never read: a rebuild begins
  // with a new file.
  db.exec('BEGIN')
  db.exec(`PRAGMA application_id = ${String(applicationId)}`)
  beginCopyNumber(db)
  // Every version of Dossier creates this table, so each version can recognise the file of another version.
  db.exec('CREATE TABLE form (fingerprint TEXT NOT NULL) STRICT')
  db.prepare('INSERT INTO form VALUES (?)').run(fingerprint)
  db.exec(tables)
  db.exec('COMMIT')
  return db
}

/**
 * Ends the open transaction and releases the lock on the file. A closed connection would keep the lock until
 * its statements are garbage-collected.
 */
export function unlock(db: Database): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
    db.exec('PRAGMA locking_mode = NORMAL')
    valueOf(db, 'SELECT fingerprint FROM form')
  } catch {
    // Ignores the error, because the connection has already failed and the caller closes it.
  }
}

/**
 * Opens the file for normal work. With `synchronous = NORMAL`, a power failure may lose the newest commits. If a
 * commit is lost, every later commit is lost too.
 */
export function openForUse(path: string): Database {
  return openWithLog(path, lockWaitMs, ['synchronous = NORMAL', 'cache_size = -32768'])
}

/** The longest wait of a statement for the lock of another program, in milliseconds. */
export const lockWaitMs = 1_000
function assertWhole(db: Database, path: string, fingerprint: string): void {
  const found = valueOf(db, 'SELECT fingerprint FROM form')
  if (found !== fingerprint) throw new Error('another version wrote it')
  if (sizeOf(path) > maxCheckedBytes) return
  if (valueOf(db, 'PRAGMA quick_check(1)') !== 'ok') throw new Error('its pages are damaged')
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
