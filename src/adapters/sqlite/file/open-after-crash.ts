import { StoreNotOpened } from '../../../application/recording/ports/store-errors.js'
import { checkpoint } from './checkpoint.js'
import { committedPages } from './committed-pages.js'
import type { Database } from './driver.js'
import { openConnection } from './open-connection.js'

/**
 * Opens the file with all that its log holds, and copies the log into the file: after a flush that
 * failed and a crash, a page can be in the log and not on the disk. Throws `StoreNotOpened` when
 * SQLite finds less in the log than is there: it could not be read, and what it holds would be lost.
 * Nobody else may write to the file meanwhile.
 */
export function openAfterCrash(path: string, lockWaitMs: number): Database {
  const promised = committedPages(`${path}-wal`)
  const db = openConnection(path, lockWaitMs)
  try {
    const { logged } = checkpoint(db)
    if (logged >= promised) return db
    throw new StoreNotOpened(
      `${path}-wal could not be read whole (${String(logged)} of its ${String(promised)} pages): ` +
        'see that its disk works, and start again. Nothing was changed.',
    )
  } catch (error) {
    db.close()
    throw error
  }
}
