import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { openDatabase, type Database, reasonOf } from '../file/driver.js'
import type { HeldFile } from '../file/held-file.js'
import { maxCheckedBytes, readHeader } from '../file/inspect-file.js'
import { openWithLog } from '../file/open-connection.js'
import { valueOf } from '../file/schema.js'
import { assertWholeLog, removeMarker } from './copy-log.js'
import { assertLogOfFile, beginCopyNumber, copyNumber } from './copy-number.js'
import { applicationId, assertUncut, buildingPath } from './read-model-files.js'

export interface FileOptions {
  readonly tables: string
  readonly fingerprint: string
  readonly onDamage: (reason: string) => void
}

export interface OpenedFile {
  readonly db: Database
  readonly isBuilding: boolean
  /** All of the log was copied since the last commit. */
  isCopied: boolean
}

/**
 * Opens a complete read model. Undefined when the file must be rebuilt. `inFile` is the copy number in the file
 * itself, where the WAL may have been copied since. `passes` selects errors to throw instead, because they do not
 * mean that the file is damaged.
 */
export function openWhole(
  file: HeldFile,
  options: FileOptions,
  inFile?: number,
  passes: (error: unknown) => boolean = () => false,
): OpenedFile | undefined {
  const { path } = file
  if (sizeOf(path) === 0) return undefined
  try {
    const header = readHeader(file.descriptor)
    assertUncut(path, header)
    const own = inFile ?? header?.version
    const db = openForUse(path)
    try {
      assertLogOfFile(db, own)
      const isCopyEnded = assertWholeLog(db, path)
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
  // No process reads the new file yet, and no other process may build here: see `takeReadModel`.
  db.exec('PRAGMA locking_mode = EXCLUSIVE')
  return { db: asEmpty(db, options), isBuilding: true, isCopied: false }
}

export function asEmpty(db: Database, { tables, fingerprint }: FileOptions): Database {
  db.exec('PRAGMA journal_mode = OFF')
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA cache_size = -65536')
  db.exec('PRAGMA secure_delete = ON')
  db.exec(`PRAGMA application_id = ${String(applicationId)}`)
  beginCopyNumber(db)
  // Every version has this table, so each can tell that a file belongs to another version.
  db.exec('CREATE TABLE form (fingerprint TEXT NOT NULL) STRICT')
  db.prepare('INSERT INTO form VALUES (?)').run(fingerprint)
  db.exec(tables)
  return db
}

/** Ends the transaction of a connection: a closed one keeps its lock until its statements are garbage-collected. */
export function unlock(db: Database): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
    db.exec('PRAGMA locking_mode = NORMAL')
    valueOf(db, 'SELECT fingerprint FROM form')
  } catch {
    // The connection failed before, and is closed for that reason.
  }
}

/** With `synchronous = NORMAL`, a power failure may lose the newest commits, but never an older one alone. */
export function openForUse(path: string): Database {
  return openWithLog(path, lockWaitMs, ['synchronous = NORMAL', 'cache_size = -32768'])
}

/** How long a statement waits for the lock of another program, in milliseconds. */
export const lockWaitMs = 1_000
function assertWhole(db: Database, path: string, fingerprint: string): void {
  const found = valueOf(db, 'SELECT fingerprint FROM form')
  if (found !== fingerprint) throw new Error('it was made by another version')
  if (sizeOf(path) > maxCheckedBytes) return
  if (valueOf(db, 'PRAGMA quick_check(1)') !== 'ok') throw new Error('its pages are damaged')
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
