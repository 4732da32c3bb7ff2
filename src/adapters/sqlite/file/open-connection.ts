import { DataLock } from './data-lock.js'
import { openDatabase, type Database, prepareRows } from './driver.js'
import { inspectFile } from './inspect-file.js'
import { numbersIn } from './row.js'
import { createFile, migrate } from './schema.js'

/**
 * Opens a connection whose commits are on the disk when they return. The connection flushes the WAL at every
 * commit. On macOS, the flush also empties the cache of the drive (`fullfsync`).
 */
export function openConnection(path: string, lockWaitMs: number): Database {
  return openWithLog(path, lockWaitMs, [
    'synchronous = FULL',
    'fullfsync = ON',
    'checkpoint_fullfsync = ON',
  ])
}

/** The settings of all connections. `secure_delete` overwrites deleted data, such as the facts of erased entities. */
const ofAll = ['journal_mode = WAL', 'wal_autocheckpoint = 0', 'secure_delete = ON']

/** Opens a connection with a WAL. SQLite makes no WAL checkpoints by itself, because they would delay a commit. */
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

/**
 * The result of a WAL checkpoint: the number of pages in the WAL, and the number of these pages that the
 * database file also contains.
 */
interface Checkpoint {
  readonly logged: number
  readonly copied: number
}

/** Copies pages of the WAL into the database file, as many as possible without waiting for readers. */
export function checkpoint(db: Database): Checkpoint {
  const [, logged = 0, copied = 0] = numbersIn(
    prepareRows(db, 'PRAGMA wal_checkpoint(PASSIVE)').get(),
  )
  return { logged, copied }
}

/**
 * Opens the file and copies the WAL into the database file. After a failed flush and a crash, the WAL may contain a
 * page that is not on the disk, and the copy makes that page durable. Throws SQLite errors: a failed read is an
 * error and is never treated as the end of the WAL. No other process may write to the file during this call.
 *
 * Another process, such as a back-up, may have the file open. All processes share the WAL index (`-shm`) that the
 * last writer left. The WAL index lists every acknowledged commit. If the writer was killed during a commit, the
 * WAL index does not list that commit.
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

/** The database of a store, with the lock that makes this process its only owner. */
interface OwnedFile {
  readonly db: Database
  readonly lock: DataLock
}

/**
 * Acquires the lock of the file and opens the file, including the commits in its WAL. Creates the file when it
 * is missing, and migrates the file to the newest schema version. Throws SQLite errors. Throws `StoreNotOpened`
 * when the file is in use, damaged or not a Dossier store.
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
