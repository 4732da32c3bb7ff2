import { dirname } from 'node:path'
import { CopyRefused } from '../../../application/migration/ports/copy-refused.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Survey } from '../../../application/migration/ports/fact-source.js'
import type { FactRun, FactTarget } from '../../../application/migration/ports/fact-target.js'
import { StoreUnavailable } from '../../../application/ports/store-errors.js'
import { createFile } from '../file/create-file.js'
import { DataLock } from '../file/data-lock.js'
import { isSqliteError, type Database } from '../file/driver.js'
import { inspectFile } from '../file/inspect-file.js'
import { flushFolder } from '../file/make-folder.js'
import { openAfterCrash } from '../file/open-after-crash.js'
import { reasonOf } from '../file/reason-of.js'
import { migrate } from '../file/schema.js'
import { factsOf, streamsOf, surveyOf } from './sqlite-fact-source.js'
import { StreamIndex } from './stream-index.js'
import { resolvePath } from '../file/resolve-path.js'

const lockWaitMs = 5_000

/**
 * One SQLite file that a copy fills; it is locked meanwhile. An append is a transaction that is not
 * flushed by itself: a crash of the machine may take the last of them, never one before another. The
 * next run brings what is missing; the end flushes everything.
 */
export class SqliteFactTarget implements FactTarget {
  private readonly places: StreamIndex
  private readonly statements: ReturnType<typeof prepare>

  private constructor(
    private readonly db: Database,
    private readonly lock: DataLock,
    private readonly path: string,
  ) {
    this.places = new StreamIndex(db)
    this.statements = prepare(db)
  }

  /** Makes the file when it is missing. Throws `StoreNotOpened` when it is in use, damaged or not ours. */
  static open(given: string): Promise<SqliteFactTarget> {
    return new Promise((resolve) => {
      resolve(SqliteFactTarget.opened(given))
    })
  }

  private static opened(given: string): SqliteFactTarget {
    const path = resolvePath(given)
    const lock = DataLock.take(path)
    try {
      inspectFile(path)
      createFile(path)
      return SqliteFactTarget.over(openAfterCrash(path, lockWaitMs), lock, path)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  private static over(db: Database, lock: DataLock, path: string): SqliteFactTarget {
    try {
      migrate(db)
      db.exec('PRAGMA synchronous = NORMAL')
      db.exec('PRAGMA wal_autocheckpoint = 4096')
      return new SqliteFactTarget(db, lock, path)
    } catch (error) {
      db.close()
      throw error
    }
  }

  survey(): Promise<Survey> {
    return Promise.resolve(surveyOf(this.places))
  }

  streams(): AsyncIterable<string> {
    return streamsOf(this.places)
  }

  facts(stream: string, from: number): AsyncIterable<readonly StoredFact[]> {
    return factsOf(this.places, stream, from)
  }

  length(stream: string): Promise<number> {
    return Promise.resolve(this.lengthOf(this.places.streamId(stream)))
  }

  append(stream: string, place: number, runs: readonly FactRun[]): Promise<void> {
    return new Promise((resolve) => {
      try {
        this.statements.begin.run()
        this.write(stream, place, runs)
        this.statements.commit.run()
      } catch (error) {
        if (this.db.isTransaction) this.statements.rollback.run()
        if (!isSqliteError(error)) throw error
        throw new StoreUnavailable(`${this.path} takes no more: ${reasonOf(error)}`)
      }
      resolve()
    })
  }

  close(): Promise<void> {
    try {
      this.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      flushFolder(dirname(this.path))
    } finally {
      this.db.close()
      this.lock.release()
    }
    return Promise.resolve()
  }

  private lengthOf(streamId: number | undefined): number {
    return streamId === undefined ? 0 : this.places.length(streamId)
  }

  private write(stream: string, place: number, runs: readonly FactRun[]): void {
    const known = this.places.streamId(stream)
    const length = this.lengthOf(known)
    if (length !== place) {
      throw new CopyRefused(
        `${JSON.stringify(stream)} has ${String(length)} facts in the target, not ${String(place)}`,
      )
    }
    const first = this.places.head() + 1
    const streamId = known ?? first
    if (known === undefined) this.statements.insertStream.run(streamId, stream)
    let next = { place, position: first }
    for (const run of runs) next = this.writeRun(streamId, run, next)
  }

  /** A key finds its facts by the first and the last position: they are written without a gap. */
  private writeRun(streamId: number, { key, facts }: FactRun, from: Next): Next {
    let { place, position } = from
    for (const { id, type, data, metadata } of facts) {
      this.statements.insertFact.run(position, streamId, id, type, data, metadata)
      this.places.add(streamId, place, position)
      place += 1
      position += 1
    }
    if (key !== undefined) {
      const hash = Buffer.from(key, 'hex')
      this.statements.insertKey.run(streamId, hash, from.position, position - 1)
    }
    return { place, position }
  }
}

interface Next {
  readonly place: number
  readonly position: number
}

function prepare(db: Database) {
  return {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    insertStream: db.prepare('INSERT INTO streams VALUES (?, ?)'),
    insertFact: db.prepare('INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)'),
    // A store that forgets keys may hold one twice: the latest is the one that it would replay.
    insertKey: db.prepare('INSERT OR REPLACE INTO append_keys VALUES (?, ?, ?, ?)'),
  }
}
