import { existsSync } from 'node:fs'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { openOwned } from './open-connection.js'

const lockWaitMs = 5_000

/**
 * Writes the database anew, without what was deleted in it, and notes that from here on everything that is
 * deleted is overwritten. It takes as much room once more meanwhile. Throws `StoreNotOpened` where a
 * process uses it or it is none of ours, and what SQLite says.
 */
export function vacuumFile(path: string): void {
  if (!existsSync(path)) throw new StoreNotOpened(`${path} is not there: there is nothing to do`)
  const { db, lock } = openOwned(path, lockWaitMs)
  try {
    db.exec('PRAGMA synchronous = FULL')
    db.exec('VACUUM')
    // The log has the pages of before, too.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    db.exec('INSERT INTO overwritten SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM overwritten)')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
    lock.release()
  }
}
