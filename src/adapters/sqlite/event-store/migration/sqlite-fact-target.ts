import { dirname } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { isExactStream } from '../../../../application/facts/our-streams.js'
import {
  beginAgain,
  CopyRefused,
  type FactRun,
  type FactSource,
  type FactTarget,
} from '../../../../application/migration/ports/fact-copy.js'
import { Refusal } from '../../../../application/ports/refusal.js'
import { erasedStream } from '../../../../domain/erasures.js'
import type { DataLock } from '../../file/data-lock.js'
import {
  isSqliteError,
  prepareAll,
  reasonOf,
  type Database,
  type Statements,
} from '../../file/driver.js'
import { ErasedStreams } from '../../file/erased-streams.js'
import { NameSecret } from '../../file/name-secret.js'
import { OpenFiles } from '../../file/open-files.js'
import { flushFolder, resolvePath, secretPath } from '../../file/paths.js'
import { openOwned } from '../../file/open-connection.js'
import { Revisions } from '../../file/revisions.js'
import { numberIn } from '../../file/row.js'
import { CommitSignal } from '../log/commit-signal.js'
import { SqliteFactSource } from './sqlite-fact-source.js'
import { SqliteFactLog } from '../log/sqlite-fact-log.js'

const lockWaitMs = 5_000

/**
 * Writes the facts of a copy into one SQLite file. The file stays locked during the copy. Each append is a
 * transaction without its own flush, and `close` flushes all transactions. A crash of the machine may lose the
 * latest transactions. If a transaction is lost, every later transaction is lost too, and the next copy continues
 * after the last stored fact.
 */
export class SqliteFactTarget implements FactTarget {
  readonly log: SqliteFactLog
  private readonly statements: Statements<typeof sql>
  private readonly revisions: Revisions
  private readonly files: OpenFiles

  private constructor(
    private readonly db: Database,
    private readonly lock: DataLock,
    private readonly path: string,
  ) {
    this.statements = prepareAll(db, sql)
    this.revisions = new Revisions(db)
    this.files = new OpenFiles(path)
    this.log = new SqliteFactLog(path, new CommitSignal())
  }

  /**
   * Opens and locks the file, and creates it when it is missing. Rejects with `StoreNotOpened` when the file
   * is in use, damaged, or not a Dossier store.
   */
  static open(given: string): Promise<SqliteFactTarget> {
    return new Promise((resolve) => {
      resolve(SqliteFactTarget.opened(given))
    })
  }

  private static opened(given: string): SqliteFactTarget {
    const path = resolvePath(given)
    const { db, lock } = openOwned(path, lockWaitMs)
    try {
      db.exec('PRAGMA synchronous = NORMAL')
      db.exec('PRAGMA wal_autocheckpoint = 4096')
      return new SqliteFactTarget(db, lock, path)
    } catch (error) {
      db.close()
      lock.release()
      throw error
    }
  }

  takeErased(source: FactSource): Promise<void> {
    return new Promise((resolve) => {
      if (!(source instanceof SqliteFactSource)) throw new TypeError('not a SQLite file')
      this.copyErased(source.inFile)
      resolve()
    })
  }

  private copyErased({ streams, secret }: SqliteFactSource['inFile']): void {
    const ours = new NameSecret(secretPath(this.path), false)
    if (secret !== undefined && !ours.adopt(secret)) {
      throw new CopyRefused(`${secretPath(this.path)} belongs to another store: ${beginAgain}`)
    }
    const erased = new ErasedStreams(this.db)
    this.statements.begin.run()
    try {
      for (const row of streams) {
        if (numberIn(this.statements.streamId.get(erasedStream(row.entityId))) !== row.streamId) {
          throw new CopyRefused(
            `the target has an erased entity at another position than the source: ${beginAgain}`,
          )
        }
        erased.take(row)
      }
      this.statements.commit.run()
    } finally {
      if (this.db.isTransaction) this.statements.rollback.run()
    }
  }

  async append(runs: readonly FactRun[]): Promise<void> {
    // Lets other work of this thread run before each transaction, because a transaction blocks the thread while
    // it waits for the disk.
    await immediate()
    try {
      this.statements.begin.run()
      let position = (numberIn(this.statements.head.get()) ?? 0) + 1
      for (const run of runs) position = this.write(run, position)
      this.statements.setIndexed.run(position - 1)
      this.statements.commit.run()
      this.files.assertInPlace()
    } catch (error) {
      if (this.db.isTransaction) this.statements.rollback.run()
      if (!isSqliteError(error)) throw error
      throw new Refusal(
        'store_unavailable',
        `${this.path} cannot store more facts: ${reasonOf(error)}`,
      )
    }
  }

  async close(): Promise<void> {
    try {
      await this.log.close()
      this.files.assertInPlace()
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      flushFolder(dirname(this.path))
    } finally {
      this.db.close()
      this.lock.release()
    }
  }

  /**
   * Writes the facts of one append at consecutive positions that begin with `first`. The positions must be
   * consecutive, because an idempotency key refers to its facts by their first and last position. Returns the
   * position after the last fact.
   */
  private write({ stream, key, facts }: FactRun, first: number): number {
    const existing = numberIn(this.statements.streamId.get(stream))
    const streamId = existing ?? first
    if (existing === undefined) this.statements.insertStream.run(streamId, stream)
    let position = first
    for (const { id, type, data, metadata } of facts) {
      this.statements.insertFact.run(position, streamId, id, type, data, metadata)
      if (isExactStream(stream)) {
        const revision = this.revisions.endOf(streamId).revision + 1
        this.revisions.insert(streamId, { revision, position })
      }
      position += 1
    }
    if (key !== undefined) {
      this.statements.insertKey.run(streamId, Buffer.from(key, 'hex'), first, position - 1)
    }
    return position
  }
}

const sql = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  head: 'SELECT coalesce(max(position), 0) FROM facts',
  streamId: 'SELECT id FROM streams WHERE name = ?',
  insertStream: 'INSERT INTO streams VALUES (?, ?)',
  insertFact: 'INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)',
  // Replaces the entry of a repeated key. A source that forgets old keys may contain a key twice. Such a source
  // returns the latest entry for a repeated request.
  insertKey: 'INSERT OR REPLACE INTO append_keys VALUES (?, ?, ?, ?)',
  setIndexed: 'UPDATE keys_indexed SET position = ?',
}
