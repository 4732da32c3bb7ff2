import { openDatabase, type Database } from './driver.js'

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

/** What is deleted is overwritten at once: what an erased person's facts were in stays empty. */
const ofAll = ['journal_mode = WAL', 'wal_autocheckpoint = 0', 'secure_delete = ON']

/**
 * A connection with a write-ahead log, and these pragmas. Checkpoints are never automatic: they would
 * stand in the way of a commit.
 */
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
