import { prepareRows, type Database, openDatabase } from './driver.js'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFolder } from './paths.js'

/** "Doss" in ASCII. The header of every database of Dossier has this id. */
export const applicationId = 0x446f7373

/** The tables that `FactReader` reads, in the file of a store or of a read model. */
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
 * One step a schema version, in order; a released step is never changed. The version is in the
 * file's `user_version`.
 *
 * A stream's id is the position of its first fact. Within a stream, revisions are the order of positions.
 * They are stored for those streams alone that are appended to at exact revisions (`isExactStream`), for
 * there is no index of facts by stream: so a stream's head and its facts are found. No file of version 1
 * has a fact in such a stream. `append_keys` is derived from the facts' metadata, of those up to the one
 * position in `keys_indexed`.
 *
 * `erased` has the closed streams of erased entities (`ErasedStreams`). `overwritten` has a row when SQLite
 * overwrote everything that was ever deleted in the file; an older file gets the row by `VACUUM`.
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
 * Brings the file from its version to the newest, each step in a transaction of its own. After a step
 * the header of the file itself says so too, not only the log: it is read before the file is opened.
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

/** The first value of the first row; undefined when there is no row. */
export function valueOf(db: Database, sql: string): unknown {
  const row = prepareRows(db, sql).get()
  return Array.isArray(row) ? row[0] : undefined
}

/**
 * Creates the database under a temporary name, and renames it when it is complete. So an interrupted start leaves no
 * file that the next start would refuse. There is no WAL before the rename, because its file would keep the temporary
 * name. Only the owner may read the database, because it holds customers' data.
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
