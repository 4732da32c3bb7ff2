import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import type { DataLock } from '../file/data-lock.js'
import { openDatabase, type Database, reasonOf } from '../file/driver.js'
import { maxCheckedBytes } from '../file/inspect-file.js'
import { flush, flushFolder, resolvePath } from '../file/paths.js'
import { openWithLog } from '../file/open-connection.js'
import { valueOf } from '../file/schema.js'
import { assertWholeLog, copyLog, LogCopier, loggedPages, removeMarker } from './copy-log.js'
import {
  applicationId,
  assertUncut,
  auditFolder,
  refuseForeign,
  buildingPath,
  takeReadModel,
  unusable,
} from './read-model-files.js'

/** Pages of write-ahead log from which on it is copied into the file: 16 MiB. */
const maxLogPages = 4_096
/** Pages from which on nothing else is done meanwhile. */
const maxPagesBeside = 4 * maxLogPages
const pageBytes = 4_096

export const inMemory = 'memory:'

/** The database of the read model, which may be dropped and built anew at any time. */
export interface ReadModelFile {
  /** Replaced by `beginAnew`, `finishBuild` and `reopen`. */
  readonly db: Database
  /** A connection that reads what `db` has committed; undefined: there is none. */
  readonly committedDb: Database | undefined
  readonly isBuilding: boolean
  beginAnew(): void
  /** What was built is whole, and survives the process from here on. */
  finishBuild(): void
  /** A new connection, after one that failed; begins anew where the file is damaged. */
  reopen(): void
  committed(): void
  /** Empties the log: what was deleted is nowhere then. False: a reader keeps it. */
  emptyLog(): boolean
  close(): void
}

/**
 * `tables`: SQL that makes them. `fingerprint`: of what the tables hold and mean; a file of another one
 * is built anew. Throws `StoreNotOpened` when the file is in use, is not ours, or cannot be made.
 */
export function openReadModelFile(
  given: string,
  tables: string,
  fingerprint: string,
  onDamage: (reason: string) => void,
): ReadModelFile {
  const options = { tables, fingerprint, onDamage }
  return given === inMemory ? new MemoryFile(options) : DiskFile.open(given, options)
}

interface FileOptions {
  readonly tables: string
  readonly fingerprint: string
  readonly onDamage: (reason: string) => void
}

class MemoryFile implements ReadModelFile {
  db: Database
  readonly committedDb = undefined
  isBuilding = true

  constructor(private readonly options: FileOptions) {
    this.db = asEmpty(openDatabase(':memory:'), options)
  }

  beginAnew(): void {
    this.db.close()
    this.db = asEmpty(openDatabase(':memory:'), this.options)
    this.isBuilding = true
  }

  finishBuild(): void {
    this.isBuilding = false
  }

  reopen(): void {
    this.beginAnew()
  }

  committed(): void {
    // There is no log to copy.
  }

  emptyLog(): boolean {
    return true
  }

  close(): void {
    this.db.close()
  }
}

/**
 * A file is built under another name and without a journal, and renamed when it is whole: a build that
 * ends in the middle leaves nothing that could be taken for whole. From then on it has a write-ahead
 * log, which survives the end of the process at any point.
 */
class DiskFile implements ReadModelFile {
  private reader: Database | undefined
  private copier: LogCopier | undefined

  private constructor(
    private readonly path: string,
    private readonly lock: DataLock,
    private readonly options: FileOptions,
    private opened: OpenedFile | undefined,
  ) {}

  static open(given: string, options: FileOptions): DiskFile {
    const path = resolvePath(given)
    const lock = takeReadModel(path)
    try {
      refuseForeign(path, options.onDamage)
      // An audit that was killed leaves a copy of the read model.
      rmSync(auditFolder(path), { recursive: true, force: true })
      return new DiskFile(
        path,
        lock,
        options,
        openWhole(path, options) ?? beginBuild(path, options),
      )
    } catch (error) {
      lock.release()
      throw error instanceof StoreNotOpened ? error : unusable(path, error)
    }
  }

  get db(): Database {
    if (this.opened === undefined) throw new Error(`${this.path} is not open`)
    return this.opened.db
  }

  get committedDb(): Database | undefined {
    if (this.isBuilding) return undefined
    this.reader ??= openDatabase(this.path, { readOnly: true, timeout: lockWaitMs })
    return this.reader
  }

  get isBuilding(): boolean {
    return this.opened?.isBuilding ?? true
  }

  beginAnew(): void {
    this.closeDatabase()
    this.opened = beginBuild(this.path, this.options)
  }

  finishBuild(): void {
    const building = buildingPath(this.path)
    this.closeDatabase()
    flush(building)
    renameSync(building, this.path)
    flushFolder(dirname(this.path))
    this.opened = { db: openForUse(this.path), isBuilding: false }
  }

  /** While it is built, its own name has no file. */
  reopen(): void {
    this.closeDatabase()
    this.opened = openWhole(this.path, this.options) ?? beginBuild(this.path, this.options)
  }

  committed(): void {
    const { path, db } = this
    if (this.isBuilding || sizeOf(`${path}-wal`) < maxLogPages * pageBytes) return
    const pages = loggedPages(path)
    if (pages < maxLogPages) return
    this.copier ??= new LogCopier(path)
    if (pages < maxPagesBeside) {
      this.copier.begin(pages)
    } else {
      this.copier.cancel()
      copyLog(db, path)
    }
  }

  /** A reader is waited for a moment. */
  emptyLog(): boolean {
    if (this.isBuilding) return true
    const { path, db } = this
    this.copier?.cancel()
    db.exec(`PRAGMA busy_timeout = ${String(momentMs)}`)
    try {
      copyLog(db, path)
    } finally {
      db.exec(`PRAGMA busy_timeout = ${String(lockWaitMs)}`)
    }
    return sizeOf(`${path}-wal`) === 0
  }

  close(): void {
    try {
      this.copier?.cancel()
      if (!this.isBuilding) copyLog(this.db, this.path)
      this.closeDatabase()
    } finally {
      this.lock.release()
    }
  }

  private closeDatabase(): void {
    const { opened, reader, copier } = this
    this.opened = undefined
    this.reader = undefined
    this.copier = undefined
    reader?.close()
    try {
      copier?.close()
    } finally {
      if (opened?.isBuilding === true) unlock(opened.db)
      opened?.db.close()
      copier?.release()
    }
  }
}

interface OpenedFile {
  readonly db: Database
  readonly isBuilding: boolean
}

/** Undefined when there is none that can be used as it is. */
function openWhole(path: string, options: FileOptions): OpenedFile | undefined {
  if (sizeOf(path) === 0) return undefined
  try {
    assertUncut(path)
    const db = openForUse(path)
    try {
      assertWholeLog(db, path)
      assertWhole(db, path, options.fingerprint)
      return { db, isBuilding: false }
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    options.onDamage(reasonOf(error))
    return undefined
  }
}

function beginBuild(path: string, options: FileOptions): OpenedFile {
  const building = buildingPath(path)
  for (const name of [building, `${building}-journal`]) rmSync(name, { force: true })
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
  removeMarker(path)
  closeSync(openSync(building, 'wx', 0o600))
  const db = openDatabase(building)
  // Nobody reads it yet, and no other process may build there: see `takeReadModel`.
  db.exec('PRAGMA locking_mode = EXCLUSIVE')
  return { db: asEmpty(db, options), isBuilding: true }
}

function asEmpty(db: Database, { tables, fingerprint }: FileOptions): Database {
  db.exec('PRAGMA journal_mode = OFF')
  db.exec('PRAGMA synchronous = OFF')
  db.exec('PRAGMA cache_size = -65536')
  db.exec('PRAGMA secure_delete = ON')
  db.exec(`PRAGMA application_id = ${String(applicationId)}`)
  // Every version finds this table, and so says of a file of another version what it is.
  db.exec('CREATE TABLE form (fingerprint TEXT NOT NULL) STRICT')
  db.prepare('INSERT INTO form VALUES (?)').run(fingerprint)
  db.exec(tables)
  return db
}

/** A closed connection lives, with its lock, until its statements are collected. */
function unlock(db: Database): void {
  try {
    if (db.isTransaction) db.exec('ROLLBACK')
    db.exec('PRAGMA locking_mode = NORMAL')
    valueOf(db, 'SELECT fingerprint FROM form')
  } catch {
    // It failed, and is closed for that.
  }
}

/** A power failure may take the last commit, and never one before another. */
function openForUse(path: string): Database {
  return openWithLog(path, lockWaitMs, ['synchronous = NORMAL', 'cache_size = -32768'])
}

/** How long a statement waits for a foreign reader's lock, in milliseconds. */
const lockWaitMs = 1_000
/** The same, of what is tried again. */
const momentMs = 20

function assertWhole(db: Database, path: string, fingerprint: string): void {
  const found = valueOf(db, 'SELECT fingerprint FROM form')
  if (found !== fingerprint) throw new Error('it was made by another version')
  if (sizeOf(path) > maxCheckedBytes) return
  if (valueOf(db, 'PRAGMA quick_check(1)') !== 'ok') throw new Error('its pages are damaged')
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
