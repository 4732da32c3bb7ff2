import { existsSync, linkSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/store-errors.js'
import { checkpoint } from './checkpoint.js'
import { committedPages } from './committed-pages.js'
import type { Database } from './driver.js'
import { openConnection } from './open-connection.js'
import { isOpenElsewhere } from './open-elsewhere.js'

/**
 * Opens the file with all that its log holds, and copies the log into the file: after a flush that
 * failed and a crash, a page can be in the log and not on the disk. Throws `StoreNotOpened` when
 * SQLite finds less in the log than is there: it could not be read, and what it holds would be lost.
 * Nobody else may write to the file meanwhile.
 *
 * It may find less when another process had the file open before. All share the index of the log that
 * the writer left: it knows every commit that was acknowledged, and not the one during which the writer
 * was killed.
 */
export function openAfterCrash(path: string, lockWaitMs: number): Database {
  const log = `${path}-wal`
  const unread = `${log}.unread`
  if (existsSync(unread)) {
    throw new StoreNotOpened(
      `${unread} holds what an earlier start could not read: see that its disk works, move it to ` +
        `${log}, and start again. Nothing was changed.`,
    )
  }
  const promised = committedPages(log)
  const isShared = isOpenElsewhere(path)
  const db = openConnection(path, lockWaitMs)
  try {
    const { logged } = checkpoint(db)
    if (logged >= promised || isShared) return db
    // The last connection that closes removes the log: under another name it stays.
    linkSync(log, unread)
    throw new StoreNotOpened(
      `${log} could not be read whole (${String(logged)} of its ${String(promised)} pages), and is ` +
        `kept as ${unread}: see that its disk works, move it back, and start again.`,
    )
  } catch (error) {
    db.close()
    throw error
  }
}
