import { openDatabase, type Database } from './driver.js'

/**
 * A connection with which a commit means "on the disk": write-ahead log, flushed at every commit,
 * past the drive's own cache where the operating system offers that (`fullfsync`, macOS). Checkpoints
 * are never automatic: they would stand in the way of a commit.
 */
export function openConnection(path: string, lockWaitMs: number): Database {
  const db = openDatabase(path, { timeout: lockWaitMs })
  try {
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = FULL')
    db.exec('PRAGMA fullfsync = ON')
    db.exec('PRAGMA checkpoint_fullfsync = ON')
    db.exec('PRAGMA wal_autocheckpoint = 0')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
