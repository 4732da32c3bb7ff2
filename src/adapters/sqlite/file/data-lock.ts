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

/** The longest time that a starting process waits until another process releases the lock, in milliseconds. */
const lockWaitMs = 500

/**
 * The lock of the process that owns the data. The lock is an open transaction on a small database next to the
 * data file. The operating system releases the lock when the process ends, even after a crash. A second process
 * can read the lock file to find out which process holds the lock. The data file itself stays unlocked for WAL
 * checkpoints, back-ups and readers.
 */
export class DataLock {
  private constructor(private readonly db: Database) {}

  /**
   * Acquires the lock. Throws `StoreNotOpened` when another process holds the lock, with the name of that
   * process. `setting` is the name of the configuration setting that contains `path`.
   */
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

  /**
   * Ends the transaction and closes the lock file. A closed connection alone would keep its lock until its
   * statements are garbage-collected.
   */
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
    ? `check that ${dirname(path)} and its files belong to user ${String(process.geteuid?.() ?? '')}, ` +
      'who runs this process; a folder that is mounted into a container keeps its owner'
    : 'check that its folder can be written and has free space; if the file is damaged and no process uses the ' +
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
