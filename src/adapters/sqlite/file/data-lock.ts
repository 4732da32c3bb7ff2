import { closeSync, openSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import {
  isBusy,
  openDatabase,
  prepareRows,
  type Database,
  isRefusedRight,
  reasonOf,
} from './driver.js'

/** How long a start waits for another starting process to give up, in milliseconds. */
const lockWaitMs = 500

/**
 * The lock of the one process that owns the data. The lock is an open transaction on a small database beside the
 * data file. The operating system releases it when the process ends, even after a crash. A second process can still
 * read who holds the lock. The data file itself stays unlocked for checkpoints, backups and readers.
 */
export class DataLock {
  private constructor(private readonly db: Database) {}

  /** Throws `StoreNotOpened` with the holder's name. `setting` is the name of the setting with the path. */
  static take(path: string, setting = 'STORE_URL'): DataLock {
    const db = openLock(path)
    try {
      db.exec('BEGIN IMMEDIATE')
      db.exec('CREATE TABLE IF NOT EXISTS holder (pid INTEGER, host TEXT, since TEXT) STRICT')
      db.exec('DELETE FROM holder')
      const insert = db.prepare('INSERT INTO holder VALUES (?, ?, ?)')
      insert.run(process.pid, hostname(), new Date().toISOString())
      db.exec('COMMIT')
      db.exec('BEGIN IMMEDIATE')
      return new DataLock(db)
    } catch (error) {
      const refusal = isBusy(error) ? inUse(path, db, setting) : unusable(path, error)
      db.close()
      throw refusal
    }
  }

  /** Ends the transaction: a closed connection keeps its lock until its statements are garbage-collected. */
  release(): void {
    this.db.exec('ROLLBACK')
    this.db.close()
  }
}

function openLock(path: string): Database {
  try {
    closeSync(openSync(`${path}.lock`, 'a', 0o600))
    return openDatabase(`${path}.lock`, { timeout: lockWaitMs })
  } catch (error) {
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): StoreNotOpened {
  const advice = isRefusedRight(error)
    ? `see that ${dirname(path)} and what is in it belong to user ${String(process.geteuid?.() ?? '')}, ` +
      'who runs this; a folder that is mounted into a container has the owner that it has outside'
    : 'see that its folder can be written and has room; if the file is damaged and nothing uses the ' +
      'data, remove it'
  return new StoreNotOpened(
    `the lock ${path}.lock cannot be taken (${reasonOf(error)}): ${advice}. Nothing was changed.`,
    { cause: error },
  )
}

function inUse(path: string, db: Database, setting: string): StoreNotOpened {
  return new StoreNotOpened(
    `${path} is in use by ${holderOf(db)}: stop it first, or point ${setting} at another file. ` +
      'Nothing was changed.',
  )
}

function holderOf(db: Database): string {
  const row = prepareRows(db, 'SELECT pid, host, since FROM holder').get()
  if (!Array.isArray(row)) return 'another process'
  const [pid, host, since] = row.map(String)
  return `process ${pid ?? '?'} on ${host ?? '?'} since ${since ?? '?'}`
}
