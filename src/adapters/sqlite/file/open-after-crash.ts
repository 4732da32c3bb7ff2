import { checkpoint } from './checkpoint.js'
import type { Database } from './driver.js'
import { openConnection } from './open-connection.js'

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
