import { databaseFiles } from '../file/paths.js'
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import {
  type FileHeader,
  headerMagic,
  readFileHeader,
  refuseMountedFile,
  refuseOtherNames,
} from '../file/inspect-file.js'
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

/** Returns the folder of an audit. It contains a copy of the read model and a second, rebuilt read model. */
export function auditFolder(path: string): string {
  return `${path}.audit`
}

/** The application id in the header of every read model file: "DosR" in ASCII. */
export const applicationId = 0x446f7352

/**
 * Throws `StoreNotOpened` for a file of another program. Changes nothing. `hadLock` says whether an earlier read
 * model left its lock file at this path.
 */
export function assertNotForeign(path: string, hadLock: boolean): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  const header = readFileHeader(path)
  if (header === undefined ? hadLock || mayBeDatabase(path) : isOwn(header)) return
  const what = header === undefined ? 'is not a read model' : 'belongs to another program'
  throw new StoreNotOpened(
    `${path} ${what}: point READ_MODEL at another file. Nothing was changed.`,
  )
}

/**
 * Throws like `assertNotForeign`. Renames a damaged read model whose header cannot be read, and passes a message with
 * the new name to `onDamage`.
 */
export function refuseForeign(
  path: string,
  hadLock: boolean,
  onDamage: (reason: string) => void,
): void {
  assertNotForeign(path, hadLock)
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return
  if (readFileHeader(path) !== undefined) return
  const aside = `${path}.unreadable`
  renameSync(path, aside)
  onDamage(`its header cannot be read: the file was renamed to ${basename(aside)}`)
}

/**
 * Returns whether the file may be a damaged database. Such a file begins like an SQLite file. It may also begin
 * with zeros, as after a write that the disk lost.
 */
function mayBeDatabase(path: string): boolean {
  const begin = Buffer.alloc(headerMagic.length)
  const file = openSync(path, 'r')
  try {
    const found = begin.subarray(0, readSync(file, begin, 0, begin.length, 0))
    return headerMagic.subarray(0, found.length).equals(found) || found.every((byte) => byte === 0)
  } finally {
    closeSync(file)
  }
}

/**
 * Throws when a page is missing from both the file and its WAL. SQLite would read missing pages as zeros. An
 * interrupted WAL checkpoint, for example on a full disk, leaves a file without its last pages, but the WAL still
 * contains these pages.
 *
 * If this process has the file open, pass the header that was read through the held descriptor. Closing another
 * descriptor of the file would release the locks of all connections in this process.
 */
export function assertNotTruncated(path: string, header = readFileHeader(path)): void {
  if (header === undefined) throw new Error('its header cannot be read')
  const whole = Math.floor(statSync(path).size / header.pageBytes)
  if (whole >= header.pages) return
  const logged = pagesInLog(path)
  for (let page = whole + 1; page <= header.pages; page += 1) {
    if (!logged.has(page)) throw new Error('its last pages are missing')
  }
}

export interface TakenReadModel {
  readonly lock: DataLock
  /** True if an earlier owner of a read model at this path left its lock file. */
  readonly hadLock: boolean
  /**
   * The copy number in the file itself (see `raiseCopyNumber`). It is read before this process checks whether
   * another process has the file open, because that check may copy the WAL into the file.
   */
  readonly copyNumber: number | undefined
}

/**
 * Makes this process the owner of the read model at `path`. Throws `StoreNotOpened` when another process owns
 * the file. Normally the lock file shows the other owner. If the lock file was removed, or if the other process
 * uses another path to the file, SQLite's own lock shows the other owner.
 */
export function takeReadModel(path: string): TakenReadModel {
  const hadLock = existsSync(`${path}.lock`)
  const lock = DataLock.take(path, 'READ_MODEL')
  try {
    refuseOtherNames(path, ', or point READ_MODEL at another file')
    refuseMountedFile(path)
    const copyNumber = existsSync(path) ? readFileHeader(path)?.version : undefined
    // An owner never removes its lock file. If the lock file existed and its lock was free, no owner is running. If
    // the `-shm` file exists too, only readers such as an audit may have the file open.
    const mayHaveReaders = hadLock && existsSync(`${path}-shm`)
    const files = mayHaveReaders ? [buildingPath(path)] : [path, buildingPath(path)]
    if (files.filter(isReadModel).some(isInUse)) throw inUse(path)
    return { lock, hadLock, copyNumber }
  } catch (error) {
    lock.release()
    // Removes the lock file that this process created. Otherwise the next start would not notice that somebody
    // removed the lock file of the owner.
    if (!hadLock) rmSync(`${path}.lock`, { force: true })
    throw error instanceof StoreNotOpened ? error : unusable(path, error)
  }
}

/** Releases the lock after a refusal. Removes a lock file that `takeReadModel` created beside a foreign file. */
export function releaseRefused(path: string, { lock, hadLock }: TakenReadModel): void {
  lock.release()
  if (!hadLock) rmSync(`${path}.lock`, { force: true })
}

/** Returns the error for a path that cannot be used, such as the path of a folder. */
export function unusable(path: string, error: unknown): StoreNotOpened {
  return new StoreNotOpened(`${path} cannot be used: ${reasonOf(error)}`, { cause: error })
}

/** Returns whether the file has the header of a read model. Reads the header without opening the file in SQLite. */
function isReadModel(path: string): boolean {
  const header = existsSync(path) ? readFileHeader(path) : undefined
  return header !== undefined && isOwn(header)
}

function isOwn(header: FileHeader): boolean {
  return header.applicationId === applicationId
}

function inUse(path: string): StoreNotOpened {
  return new StoreNotOpened(
    `${path} is in use by another process, over another name or without ${path}.lock, which was ` +
      'removed: stop that process first, or point READ_MODEL at another file. Nothing was changed.',
  )
}

/** The longest wait for another process to release the file, in milliseconds. */
const waitMs = 500

/**
 * Returns whether a process has the database open, by this path or any other path. SQLite locks the file itself
 * and not its path. If no process has the file open, the check also copies the WAL into the file.
 */
function isInUse(path: string): boolean {
  try {
    const db = openDatabase(path, { timeout: waitMs })
    try {
      // Makes SQLite lock the whole file even when the file has a WAL.
      db.exec('PRAGMA locking_mode = EXCLUSIVE')
      db.exec('BEGIN EXCLUSIVE')
      db.exec('ROLLBACK')
    } finally {
      db.close()
    }
    return false
  } catch (error) {
    // Ignores all other errors, because the caller opens the file afterwards and reports them.
    return isBusy(error)
  }
}
