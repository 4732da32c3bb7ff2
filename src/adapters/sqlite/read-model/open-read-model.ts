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
 * Undefined when there is none that can be used as it is. `inFile`: the copy number in the file itself, where
 * the log may have been copied since. `passes`: whether a failure says nothing of the file.
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
  // Nobody reads it yet, and no other process may build there: see `takeReadModel`.
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
  // Every version finds this table, and so says of a file of another version what it is.
  db.exec('CREATE TABLE form (fingerprint TEXT NOT NULL) STRICT')
  db.prepare('INSERT INTO form VALUES (?)').run(fingerprint)
  db.exec(tables)
  return db
}

/** A closed connection lives, with its lock, until its statements are collected. */
export function unlock(db: Database): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
    db.exec('PRAGMA locking_mode = NORMAL')
    valueOf(db, 'SELECT fingerprint FROM form')
  } catch {
    // It failed, and is closed for that.
  }
}

/** A power failure may take the last commit, and never one before another. */
export function openForUse(path: string): Database {
  return openWithLog(path, lockWaitMs, ['synchronous = NORMAL', 'cache_size = -32768'])
}

/** How long a statement waits for a foreign reader's lock, in milliseconds. */
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
