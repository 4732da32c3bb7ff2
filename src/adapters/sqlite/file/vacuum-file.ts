import { existsSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { prepareRows, type Database } from './driver.js'
import { ErasedStreams } from './erased-streams.js'
import { openOwned } from './open-connection.js'
import { OpenFiles } from './open-files.js'
import { numbersIn } from './row.js'

const lockWaitMs = 5_000

/**
 * Rewrites the database without deleted data, and records that SQLite has overwritten all deleted data. Then
 * deletes the former stream names of entities whose facts are removed. A search for traces of these entities no
 * longer needs the names, because the rewritten file contains no traces. Needs as much free disk space as the
 * size of the file.
 *
 * Throws `StoreNotOpened` when a process uses the file or when the file belongs to another program. Throws
 * `store_unavailable` when the file was replaced during the work. Throws SQLite errors.
 */
export function vacuumFile(path: string): void {
  if (!existsSync(path))
    throw new StoreNotOpened(`${path} does not exist: there is nothing to vacuum`)
  const { db, lock } = openOwned(path, lockWaitMs)
  try {
    const files = new OpenFiles(path)
    db.exec('PRAGMA synchronous = FULL')
    db.exec('VACUUM')
    // Empties the WAL, because it still contains pages that were written before the rewrite.
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
    `another program reads ${path}, so old pages stay in its write-ahead log: stop it and run this again`,
  )
}
