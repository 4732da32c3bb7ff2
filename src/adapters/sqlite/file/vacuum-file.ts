import { existsSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { prepareRows, type Database } from './driver.js'
import { ErasedStreams } from './erased-streams.js'
import { openOwned } from './open-connection.js'
import { OpenFiles } from './open-files.js'
import { numbersIn } from './row.js'

const lockWaitMs = 5_000

/**
 * Writes the database anew, without what was deleted in it, and notes that from here on everything that is
 * deleted is overwritten, and that nothing is in it of the erased whose facts are removed: what looks like
 * them is in what others recorded. It takes as much room once more meanwhile. Throws `StoreNotOpened` where
 * a process uses it or it is none of ours, `store_unavailable` where it was replaced meanwhile, and what SQLite
 * says.
 */
export function vacuumFile(path: string): void {
  if (!existsSync(path)) throw new StoreNotOpened(`${path} is not there: there is nothing to do`)
  const { db, lock } = openOwned(path, lockWaitMs)
  try {
    const files = new OpenFiles(path)
    db.exec('PRAGMA synchronous = FULL')
    db.exec('VACUUM')
    // The log has the pages of before, too.
    emptyLog(db, path)
    db.exec('INSERT INTO overwritten SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM overwritten)')
    new ErasedStreams(db).forgetNamesOfRemoved()
    emptyLog(db, path)
    files.assertInPlace()
  } finally {
    db.close()
    lock.release()
  }
}

function emptyLog(db: Database, path: string): void {
  const [isBusy] = numbersIn(prepareRows(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get())
  if (isBusy === 0) return
  throw new StoreNotOpened(
    `a reader keeps the log of ${path}, which has the pages of before: end it, and run this again`,
  )
}
