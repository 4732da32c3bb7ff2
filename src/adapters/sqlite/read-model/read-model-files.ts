import { databaseFiles } from '../file/paths.js'
import { renameSync, statSync, existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { readFileHeader, refuseMountedFile, refuseOtherNames } from '../file/inspect-file.js'
import { DataLock } from '../file/data-lock.js'
import { reasonOf, isBusy, openDatabase } from '../file/driver.js'
import { pagesInLog } from './copy-log.js'

export function readModelFiles(path: string): readonly string[] {
  const databases = [path, `${path}.lock`, buildingPath(path)].flatMap(databaseFiles)
  return [...databases, `${path}-copying`, `${path}.unreadable`]
}

export function buildingPath(path: string): string {
  return `${path}.building`
}

/** The folder of an audit: its copy of the read model, and the read model that it rebuilds. */
export function auditFolder(path: string): string {
  return `${path}.audit`
}

/** "DosR" in ASCII. The header of every read model file has this id. */
export const applicationId = 0x446f7352

/**
 * Throws `StoreNotOpened` for a file of another program, and leaves the file alone. A file with an unreadable header is
 * renamed, and `onDamage` gets the new name.
 */
export function refuseForeign(path: string, onDamage: (reason: string) => void): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const header = readFileHeader(path)
  if (header === undefined) {
    const aside = `${path}.unreadable`
    renameSync(path, aside)
    onDamage(`its header cannot be read: it was put aside as ${basename(aside)}`)
    return
  }
  if (header.applicationId === applicationId) return
  throw new StoreNotOpened(
    `${path} belongs to another program: point READ_MODEL at another file. Nothing was changed.`,
  )
}

/**
 * Throws when the file lacks pages that its WAL does not have either: SQLite would read missing pages as zeros. An
 * interrupted WAL checkpoint, as on a full disk, leaves a file without its last pages, which the WAL still has.
 * Pass the header that was read through the held descriptor when this process has the file open: closing another
 * descriptor would drop the locks of all its connections.
 */
export function assertUncut(path: string, header = readFileHeader(path)): void {
  if (header === undefined) throw new Error('its header cannot be read')
  const whole = Math.floor(statSync(path).size / header.pageBytes)
  if (whole >= header.pages) return
  const logged = pagesInLog(path)
  for (let page = whole + 1; page <= header.pages; page += 1) {
    if (!logged.has(page)) throw new Error('it was cut short')
  }
}

export interface TakenReadModel {
  readonly lock: DataLock
  /** In the file itself (see `raiseCopyNumber`): the look whether another process has the file may copy the log. */
  readonly copyNumber: number | undefined
}

/**
 * Makes this process the owner of the read model at `path`. Throws `StoreNotOpened` when another process owns it.
 * The lock file shows the owner. SQLite's own lock shows it when the lock file was removed or the path differs.
 */
export function takeReadModel(path: string): TakenReadModel {
  const hadLock = existsSync(`${path}.lock`)
  const lock = DataLock.take(path, 'READ_MODEL')
  try {
    refuseOtherNames(path, ', or point READ_MODEL at another file')
    refuseMountedFile(path)
    const copyNumber = existsSync(path) ? readFileHeader(path)?.version : undefined
    // An owner never removes its lock file. If the lock is free and the `-shm` file exists, an open file has only
    // readers, such as an audit.
    const mayHaveReaders = hadLock && existsSync(`${path}-shm`)
    const files = mayHaveReaders ? [buildingPath(path)] : [path, buildingPath(path)]
    if (files.filter(isReadModel).some(isInUse)) throw inUse(path)
    return { lock, copyNumber }
  } catch (error) {
    lock.release()
    // Remove the lock file of this process; the next start must see that the owner's lock file is missing.
    if (!hadLock) rmSync(`${path}.lock`, { force: true })
    throw error instanceof StoreNotOpened ? error : unusable(path, error)
  }
}

/** The error for a path that cannot be used, such as a folder. */
export function unusable(path: string, error: unknown): StoreNotOpened {
  return new StoreNotOpened(`${path} cannot be used: ${reasonOf(error)}`, { cause: error })
}

/** Reads the header without opening the file in SQLite. */
function isReadModel(path: string): boolean {
  return existsSync(path) && readFileHeader(path)?.applicationId === applicationId
}

function inUse(path: string): StoreNotOpened {
  return new StoreNotOpened(
    `${path} is in use by another process, over another name or without ${path}.lock, which was ` +
      'removed: stop that process first, or point READ_MODEL at another file. Nothing was changed.',
  )
}

/** How long to wait for another process to release the file, in milliseconds. */
const waitMs = 500

/**
 * Whether any process has the database at `path` open, by any name: SQLite locks the file, not the name. If no process
 * has it open, the check also copies the WAL into the file.
 */
function isInUse(path: string): boolean {
  try {
    const db = openDatabase(path, { timeout: waitMs })
    try {
      // In this mode SQLite locks the whole file even with a WAL.
      db.exec('PRAGMA locking_mode = EXCLUSIVE')
      db.exec('BEGIN EXCLUSIVE')
      db.exec('ROLLBACK')
    } finally {
      db.close()
    }
    return false
  } catch (error) {
    // Other errors are reported when the file is opened for use.
    return isBusy(error)
  }
}
