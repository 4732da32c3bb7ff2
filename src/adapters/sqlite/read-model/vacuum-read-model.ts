import { existsSync, statSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import type { Database } from '../file/driver.js'
import { openWithLog } from '../file/open-connection.js'
import { foundPath } from '../file/paths.js'
import { assertCompleteLog, copyLog, loggedPages } from './copy-log.js'
import { assertLogOfFile, raiseCopyNumber } from './copy-number.js'
import {
  assertNotTruncated,
  refuseForeign,
  releaseRefused,
  takeReadModel,
  unusable,
} from './read-model-files.js'

const lockWaitMs = 5_000

/**
 * Rewrites the file of a read model without deleted rows. Does nothing when the file does not exist. Throws
 * `StoreNotOpened` when a process uses the file, when the file is damaged, or when it belongs to another
 * program.
 */
export function vacuumReadModel(given: string): void {
  const path = foundPath(given)
  if (!existsSync(path) || statSync(path).size === 0) return
  const taken = takeReadModel(path)
  const { hadLock, copyNumber } = taken
  try {
    refuseForeign(path, hadLock, (reason) => {
      throw new Error(reason)
    })
    assertNotTruncated(path)
    const db = openWithLog(path, lockWaitMs, ['synchronous = NORMAL'])
    try {
      assertLogOfFile(db, copyNumber)
      assertCompleteLog(db, path)
      emptyLog(db, path)
      raiseCopyNumber(db)
      db.exec('VACUUM')
      emptyLog(db, path)
    } finally {
      db.close()
    }
    taken.lock.release()
  } catch (error) {
    releaseRefused(path, taken)
    throw error instanceof StoreNotOpened ? error : unusable(path, error)
  }
}

function emptyLog(db: Database, path: string): void {
  copyLog(db, path)
  if (loggedPages(path) > 0)
    throw new Error(
      'another program reads the file, so its write-ahead log cannot be emptied: stop that program',
    )
}
