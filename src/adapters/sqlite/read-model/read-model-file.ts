import { renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import type { DataLock } from '../file/data-lock.js'
import { hasNoRoom, openDatabase, type Database } from '../file/driver.js'
import { HeldFile } from '../file/held-file.js'
import { flush, flushFolder, resolvePath } from '../file/paths.js'
import { copyLog, LogCopier, loggedPages } from './copy-log.js'
import { raiseCopyNumber } from './copy-number.js'
import {
  asEmpty,
  beginBuild,
  lockWaitMs,
  openForUse,
  openComplete,
  removeFiles,
  sizeOf,
  unlock,
  type FileOptions,
  type OpenedFile,
} from './open-read-model.js'
import {
  auditFolder,
  refuseForeign,
  buildingPath,
  releaseRefused,
  takeReadModel,
  unusable,
} from './read-model-files.js'

/** The number of WAL pages at which the WAL is copied into the file: 16 MiB. */
const maxLogPages = 4_096
/** The number of WAL pages at which the copy blocks other work. */
const maxPagesBeside = 4 * maxLogPages
const pageBytes = 4_096
/** The longest time for which one attempt waits for a reader in another program, in milliseconds. */
const readerWaitMs = 20

export const inMemory = 'memory:'

/** The database file of the read model. The file can be deleted and rebuilt at any time. */
export interface ReadModelFile {
  /** The current connection. `rebuildFromLog`, `finishBuild` and `reopen` replace the connection. */
  readonly db: Database
  /** A second connection, which sees only committed rows. Undefined during a rebuild and for a database in memory. */
  readonly committedDb: Database | undefined
  readonly isBuilding: boolean
  rebuildFromLog(): void
  /** Makes a completed rebuild durable, and gives the file its final name. */
  finishBuild(): void
  /** Opens a new connection after a failure. Starts a rebuild when the file is damaged. Throws on a full disk. */
  reopen(): void
  /** Call this inside a transaction, directly before its commit. */
  beforeCommit(): void
  committed(): void
  /** Empties the WAL, so that no file contains deleted rows. Returns false when a reader blocks this. */
  emptyLog(): boolean
  close(): void
}

/**
 * Opens the file of the read model. `tables` is the SQL that creates the tables. If the file has another
 * `fingerprint`, the file is rebuilt. Throws `StoreNotOpened` when the file is in use, belongs to another
 * program, or cannot be created.
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

class MemoryFile implements ReadModelFile {
  db: Database
  readonly committedDb = undefined
  isBuilding = true

  constructor(private readonly options: FileOptions) {
    this.db = asEmpty(openDatabase(':memory:'), options)
  }

  rebuildFromLog(): void {
    this.db.close()
    this.db = asEmpty(openDatabase(':memory:'), this.options)
    this.isBuilding = true
  }

  finishBuild(): void {
    this.isBuilding = false
  }

  reopen(): void {
    this.rebuildFromLog()
  }

  beforeCommit(): void {
    // Does nothing, because a database in memory has no WAL and needs no copy number.
  }

  committed(): void {
    // Does nothing, because a database in memory has no WAL to copy.
  }

  emptyLog(): boolean {
    return true
  }

  close(): void {
    this.db.close()
  }
}

/**
 * A read model on disk. A rebuild writes a file with a temporary name and without a journal file, and renames the
 * file when it is complete. An interrupted rebuild therefore never leaves a file that looks complete. After the
 * rebuild, the file has a WAL, so the read model survives crashes.
 */
class DiskFile implements ReadModelFile {
  private reader: Database | undefined
  private copier: LogCopier | undefined
  /** True when the file must not be used again: see `LogCopier.mayLackPages`. */
  private mayLackPages = false

  private constructor(
    private readonly file: HeldFile,
    private readonly lock: DataLock,
    private readonly options: FileOptions,
    private opened: OpenedFile | undefined,
  ) {}

  static open(given: string, options: FileOptions): DiskFile {
    const path = resolvePath(given)
    const taken = takeReadModel(path)
    const { lock, hadLock, copyNumber } = taken
    const file = new HeldFile(path)
    try {
      refuseForeign(path, hadLock, options.onDamage)
      // Removes the copy of the read model that an audit left behind when it was killed.
      rmSync(auditFolder(path), { recursive: true, force: true })
      return new DiskFile(
        file,
        lock,
        options,
        openComplete(file, options, copyNumber) ?? beginBuild(path, options),
      )
    } catch (error) {
      file.close()
      releaseRefused(path, taken)
      throw error instanceof StoreNotOpened ? error : unusable(path, error)
    }
  }

  private get path(): string {
    return this.file.path
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

  rebuildFromLog(): void {
    this.closeDatabase()
    this.opened = this.beginBuild()
  }

  private beginBuild(): OpenedFile {
    const opened = beginBuild(this.path, this.options)
    this.file.close()
    return opened
  }

  finishBuild(): void {
    const building = buildingPath(this.path)
    this.closeDatabase()
    flush(building)
    renameSync(building, this.path)
    flushFolder(dirname(this.path))
    this.opened = { db: openForUse(this.path), isBuilding: false, isCopied: true }
  }

  reopen(): void {
    const { file, options } = this
    this.closeDatabase()
    const { mayLackPages } = this
    if (mayLackPages) options.onDamage('the disk may lack pages that were copied into it')
    const opened = mayLackPages ? undefined : openComplete(file, options, undefined, hasNoRoom)
    this.opened = opened ?? this.beginBuild()
    this.mayLackPages = false
  }

  beforeCommit(): void {
    if (this.opened?.isCopied === true) raiseCopyNumber(this.db)
  }

  committed(): void {
    this.noteCopied(false)
    const { path, db } = this
    if (this.isBuilding || sizeOf(`${path}-wal`) < maxLogPages * pageBytes) return
    const pages = loggedPages(path)
    if (pages < maxLogPages) return
    this.copier ??= new LogCopier(this.file, () => {
      this.noteCopied(true)
    })
    if (pages < maxPagesBeside) {
      this.copier.begin(pages)
    } else {
      this.copier.cancel()
      this.noteCopied(copyLog(db, path))
    }
  }

  private noteCopied(isCopied: boolean): void {
    if (this.opened !== undefined) this.opened.isCopied = isCopied
  }

  /** Empties the WAL, and waits at most `readerWaitMs` for readers. Returns false when a reader blocks this. */
  emptyLog(): boolean {
    if (this.isBuilding) return true
    const { path, db } = this
    this.copier?.assertSound()
    this.copier?.cancel()
    db.exec(`PRAGMA busy_timeout = ${String(readerWaitMs)}`)
    try {
      if (copyLog(db, path)) this.noteCopied(true)
    } finally {
      db.exec(`PRAGMA busy_timeout = ${String(lockWaitMs)}`)
    }
    return sizeOf(`${path}-wal`) === 0
  }

  close(): void {
    try {
      this.copier?.cancel()
      if (!this.isBuilding && this.copier?.mayLackPages !== true) copyLog(this.db, this.path)
      this.closeDatabase()
    } finally {
      if (this.mayLackPages) removeFiles(this.path)
      this.file.close()
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
      this.mayLackPages ||= copier?.mayLackPages === true
      if (opened?.isBuilding === true) unlock(opened.db)
      opened?.db.close()
      copier?.release()
    }
  }
}
