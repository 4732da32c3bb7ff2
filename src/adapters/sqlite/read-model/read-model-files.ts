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

/** Where an audit has its copy of the read model, and the one that it rebuilds. */
export function auditFolder(path: string): string {
  return `${path}.audit`
}

/** "DosR" in ASCII, in the file's header: the file is a read model of ours. */
export const applicationId = 0x446f7352

/**
 * Throws `StoreNotOpened` for a file of another program, which is left alone. A file whose header cannot be
 * read is put aside; `onDamage` is given its new name.
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
 * SQLite would read a missing page as zeros. A copy of the log that broke off, on a full disk say, leaves a file
 * without its last pages: the log still has these.
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
 * Makes this process the owner of the read model at `path`. Throws `StoreNotOpened` when another one has it:
 * by its lock, or where that lock was removed or the file was opened by another name, by the file itself.
 */
export function takeReadModel(path: string): TakenReadModel {
  const hadLock = existsSync(`${path}.lock`)
  const lock = DataLock.take(path, 'READ_MODEL')
  try {
    refuseOtherNames(path, ', or point READ_MODEL at another file')
    refuseMountedFile(path)
    const copyNumber = existsSync(path) ? readFileHeader(path)?.version : undefined
    // An owner never removes its lock. With the lock free and the index of the log there, a file that
    // is open has a reader only: an audit, say.
    const mayHaveReaders = hadLock && existsSync(`${path}-shm`)
    const files = mayHaveReaders ? [buildingPath(path)] : [path, buildingPath(path)]
    if (files.filter(isReadModel).some(isInUse)) throw inUse(path)
    return { lock, copyNumber }
  } catch (error) {
    lock.release()
    // A lock that this process made would speak for the missing one at the next start.
    if (!hadLock) rmSync(`${path}.lock`, { force: true })
    throw error instanceof StoreNotOpened ? error : unusable(path, error)
  }
}

/** For whatever stands in its way: it is a folder, say. */
export function unusable(path: string, error: unknown): StoreNotOpened {
  return new StoreNotOpened(`${path} cannot be used: ${reasonOf(error)}`, { cause: error })
}

/** A file of another program is not even opened. */
function isReadModel(path: string): boolean {
  return existsSync(path) && readFileHeader(path)?.applicationId === applicationId
}

function inUse(path: string): StoreNotOpened {
  return new StoreNotOpened(
    `${path} is in use by another process, over another name or without ${path}.lock, which was ` +
      'removed: stop that process first, or point READ_MODEL at another file. Nothing was changed.',
  )
}

/** How long another process may take to let go of it, in milliseconds. */
const waitMs = 500

/**
 * Whether a connection has the database at `path` open, of whichever process and by whichever name: SQLite
 * locks the file itself, and not its name. Where none has, the log of the file is copied into it.
 */
function isInUse(path: string): boolean {
  try {
    const db = openDatabase(path, { timeout: waitMs })
    try {
      // In this mode a file with a write-ahead log is locked as a whole, too.
      db.exec('PRAGMA locking_mode = EXCLUSIVE')
      db.exec('BEGIN EXCLUSIVE')
      db.exec('ROLLBACK')
    } finally {
      db.close()
    }
    return false
  } catch (error) {
    // What else is wrong with it, whoever opens it for use says.
    return isBusy(error)
  }
}
