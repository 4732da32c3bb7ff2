import { existsSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { prepareRows, type Database } from './driver.js'
import { ErasedStreams } from './erased-streams.js'
import { openOwned } from './open-connection.js'
import { OpenFiles } from './open-files.js'
import { numbersIn } from './row.js'

const lockWaitMs = 5_000

/**
 * Rewrites the database without deleted data. Then notes in it that all deleted data is overwritten, and that no data
 * of fully removed entities is left; similar text belongs to other entities. Needs as much free disk space as the file
 * takes. Throws `StoreNotOpened` when a process uses the file or it belongs to another program, `store_unavailable`
 * when the file was replaced during the work, and errors of SQLite.
 */
export function vacuumFile(path: string): void {
  if (!existsSync(path)) throw new StoreNotOpened(`${path} is not there: there is nothing to do`)
  const { db, lock } = openOwned(path, lockWaitMs)
  try {
    const files = new OpenFiles(path)
    db.exec('PRAGMA synchronous = FULL')
    db.exec('VACUUM')
    // The WAL still has old pages.
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
