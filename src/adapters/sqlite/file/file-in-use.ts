import { isBusy, openDatabase } from './driver.js'

/** How long another process may take to let go of it, in milliseconds. */
const waitMs = 500

/**
 * Whether a connection has the database at `path` open, of whichever process and by whichever name: SQLite
 * locks the file itself, and not its name. Where none has, the log of the file is copied into it.
 */
export function isInUse(path: string): boolean {
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
