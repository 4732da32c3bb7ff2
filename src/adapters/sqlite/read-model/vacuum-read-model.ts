import { existsSync, statSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { openWithLog } from '../file/open-connection.js'
import { foundPath } from '../file/paths.js'
import { assertWholeLog, copyLog, loggedPages } from './copy-log.js'
import { assertUncut, refuseForeign, takeReadModel, unusable } from './read-model-files.js'

const lockWaitMs = 5_000

/**
 * Rewrites the file of a read model without deleted rows. Does nothing when the file does not exist. Throws
 * `StoreNotOpened` when a process uses the file, or it is damaged or belongs to another program.
 */
export function vacuumReadModel(given: string): void {
  const path = foundPath(given)
  if (!existsSync(path) || statSync(path).size === 0) return
  const lock = takeReadModel(path)
  try {
    refuseForeign(path, (reason) => {
      throw new Error(reason)
    })
    const db = openWithLog(path, lockWaitMs, ['synchronous = NORMAL'])
    try {
      assertUncut(db, path)
      assertWholeLog(db, path)
      db.exec('VACUUM')
      copyLog(db, path)
      if (loggedPages(path) > 0) throw new Error('a reader keeps its log: end it')
    } finally {
      db.close()
    }
  } catch (error) {
    throw error instanceof StoreNotOpened ? error : unusable(path, error)
  } finally {
    lock.release()
  }
}
