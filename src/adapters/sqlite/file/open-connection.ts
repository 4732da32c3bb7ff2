import { DataLock } from './data-lock.js'
import { openDatabase, type Database, prepareRows } from './driver.js'
import { inspectFile } from './inspect-file.js'
import { numbersIn } from './row.js'
import { createFile, migrate } from './schema.js'

/**
 * A connection with which a commit means "on the disk": write-ahead log, flushed at every commit,
 * past the drive's own cache where the operating system offers that (`fullfsync`, macOS).
 */
export function openConnection(path: string, lockWaitMs: number): Database {
  return openWithLog(path, lockWaitMs, [
    'synchronous = FULL',
    'fullfsync = ON',
    'checkpoint_fullfsync = ON',
  ])
}

/** Settings of all connections. `secure_delete` overwrites deleted data, such as facts of erased entities. */
const ofAll = ['journal_mode = WAL', 'wal_autocheckpoint = 0', 'secure_delete = ON']

/** Opens a connection with a WAL. WAL checkpoints are never automatic, because they would delay a commit. */
export function openWithLog(
  path: string,
  lockWaitMs: number,
  pragmas: readonly string[],
): Database {
  const db = openDatabase(path, { timeout: lockWaitMs })
  try {
    for (const pragma of [...ofAll, ...pragmas]) {
      db.exec(`PRAGMA ${pragma}`)
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The number of pages in the WAL, and how many of them the database file has too. */
interface Checkpoint {
  readonly logged: number
  readonly copied: number
}

/** Copies as much of the WAL into the database file as is possible without waiting for readers. */
export function checkpoint(db: Database): Checkpoint {
  const [, logged = 0, copied = 0] = numbersIn(
    prepareRows(db, 'PRAGMA wal_checkpoint(PASSIVE)').get(),
  )
  return { logged, copied }
}

/**
 * Opens the file with all that its log holds, and copies the log into the file: after a flush that
 * failed and a crash, a page can be in the log and not on the disk. Throws what SQLite throws: a read
 * that fails is an error, and never the end of the log. Nobody else may write to the file meanwhile.
 *
 * Another process may have the file open, a back-up for example. All share the index of the log that the
 * writer left: it knows every commit that was acknowledged, and not the one during which the writer was
 * killed.
 */
export function openAfterCrash(path: string, lockWaitMs: number): Database {
  const db = openConnection(path, lockWaitMs)
  try {
    checkpoint(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The database of a store with its lock. Only one process can own it. */
interface OwnedFile {
  readonly db: Database
  readonly lock: DataLock
}

/**
 * Locks the file, and opens it with all that its log holds; makes it where there is none, and brings it to the
 * newest version. Throws `StoreNotOpened` when it is in use, damaged or not ours, and what SQLite throws.
 */
export function openOwned(path: string, lockWaitMs: number): OwnedFile {
  const lock = DataLock.take(path)
  try {
    inspectFile(path)
    createFile(path)
    const db = openAfterCrash(path, lockWaitMs)
    try {
      migrate(db)
    } catch (error) {
      db.close()
      throw error
    }
    return { db, lock }
  } catch (error) {
    lock.release()
    throw error
  }
}
