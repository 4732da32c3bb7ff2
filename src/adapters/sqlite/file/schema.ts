import { prepareRows, type Database, openDatabase } from './driver.js'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFolder } from './paths.js'

/** The application id in the header of every database of a store: "Doss" in ASCII. */
export const applicationId = 0x446f7373

/**
 * The tables that `FactReader` reads. They are in the file of a store, and in the file of a read model that
 * stores facts.
 */
export const factTables = `CREATE TABLE facts (
     position INTEGER PRIMARY KEY,
     stream_id INTEGER NOT NULL,
     id TEXT NOT NULL,
     type TEXT NOT NULL,
     data TEXT NOT NULL,
     metadata TEXT NOT NULL
   ) STRICT;
   CREATE TABLE streams (
     id INTEGER PRIMARY KEY,
     name TEXT NOT NULL UNIQUE
   ) STRICT;`

/**
 * The SQL of each schema version, in ascending order. Never change the SQL of a released version. The header of the
 * file contains the version (`user_version`).
 *
 * The id of a stream is the position of the stream's first fact. There is no index of facts by stream. Instead, the
 * table `revisions` indexes the facts of streams that are appended to at an expected revision (`isExactStream`). No
 * file of version 1 contains facts in such streams.
 *
 * `append_keys` is the index of idempotency keys, which are part of the metadata of the facts. The index is
 * complete for the facts up to the position in `keys_indexed`.
 *
 * `erased` contains the streams of erased entities (`ErasedStreams`). `overwritten` contains a row if SQLite has
 * overwritten all data that was ever deleted in the file. In a file that had facts before version 4, VACUUM adds
 * the row.
 */
export const migrations: readonly string[] = [
  `${factTables}
   CREATE TABLE append_keys (
     stream_id INTEGER NOT NULL,
     key BLOB NOT NULL,
     first_position INTEGER NOT NULL,
     last_position INTEGER NOT NULL,
     PRIMARY KEY (stream_id, key)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE revisions (
     stream_id INTEGER NOT NULL,
     revision INTEGER NOT NULL,
     position INTEGER NOT NULL,
     PRIMARY KEY (stream_id, revision)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE keys_indexed (position INTEGER NOT NULL) STRICT;
   INSERT INTO keys_indexed SELECT coalesce(max(position), 0) FROM facts;`,
  `CREATE TABLE erased (
     entity_id TEXT PRIMARY KEY,
     stream_id INTEGER NOT NULL,
     erasure_id TEXT NOT NULL,
     position INTEGER NOT NULL,
     name TEXT,
     suppressed BLOB,
     removed_to INTEGER NOT NULL,
     facts TEXT NOT NULL,
     keys INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX suppressed_names ON erased (suppressed) WHERE suppressed IS NOT NULL;
   CREATE TABLE overwritten (since INTEGER NOT NULL) STRICT;
   INSERT INTO overwritten SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM facts);`,
]

/**
 * Migrates the file to the newest schema version, with one transaction per version. Afterwards a WAL checkpoint
 * writes the version to the header of the file itself, because the next start reads the header before it opens
 * the database.
 */
export function migrate(db: Database, steps: readonly string[] = migrations): void {
  const found = versionOf(db)
  for (let version = found; version < steps.length; version += 1) {
    db.exec('BEGIN IMMEDIATE')
    try {
      db.exec(steps[version] ?? '')
      db.exec(`PRAGMA application_id = ${String(applicationId)}`)
      db.exec(`PRAGMA user_version = ${String(version + 1)}`)
      db.exec('COMMIT')
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK')
      throw error
    }
  }
  if (found < steps.length) db.exec('PRAGMA wal_checkpoint(PASSIVE)')
}

function versionOf(db: Database): number {
  return Number(valueOf(db, 'PRAGMA user_version'))
}

/** Returns the first value of the first row, or undefined when there is no row. */
export function valueOf(db: Database, sql: string): unknown {
  const row = prepareRows(db, sql).get()
  return Array.isArray(row) ? row[0] : undefined
}

/**
 * Creates the database under a temporary name, and renames the database when it is complete. An interrupted
 * start therefore leaves no file that the next start would refuse. The database has no WAL before the rename,
 * because the WAL would keep the temporary name. Only the user of this process may read the file, because the
 * file contains customers' data.
 */
export function createFile(path: string): void {
  if (existsSync(path) && statSync(path).size > 0) return
  const unfinished = `${path}.new`
  for (const name of ['', '-journal']) rmSync(`${unfinished}${name}`, { force: true })
  closeSync(openSync(unfinished, 'wx', 0o600))
  const db = openDatabase(unfinished)
  try {
    db.exec('PRAGMA synchronous = FULL')
    migrate(db)
  } finally {
    db.close()
  }
  renameSync(unfinished, path)
  flushFolder(dirname(path))
}
