import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { isFactName } from '../../../../application/facts/fact-format.js'
import {
  CopyRefused,
  type ErasedCounts,
  type FactSource,
} from '../../../../application/migration/ports/fact-copy.js'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import { DataLock } from '../../file/data-lock.js'
import { openDatabase, prepareRows, type Database } from '../../file/driver.js'
import { ErasedStreams, type SuppressedRow } from '../../file/erased-streams.js'
import { inspectFile, untouched } from '../../file/inspect-file.js'
import { NameSecret } from '../../file/name-secret.js'
import { secretPath } from '../../file/paths.js'
import { valueOf } from '../../file/schema.js'
import { CommitSignal } from '../log/commit-signal.js'
import { SqliteFactLog } from '../log/sqlite-fact-log.js'

/** Reads the facts of one SQLite file for a copy. The file stays locked and unchanged during the copy. */
export class SqliteFactSource implements FactSource {
  private constructor(
    readonly log: SqliteFactLog,
    /** The records of erased entities in the file. */
    readonly inFile: ErasedInFile,
    private readonly lock: DataLock,
  ) {}

  /**
   * Opens and locks the file. Rejects with `StoreNotOpened` when the file or its secret is missing, in use or
   * damaged, or when the file is not a Dossier store. Rejects with `CopyRefused` when the file has fact types
   * that this version does not know.
   */
  static open(given: string): Promise<SqliteFactSource> {
    return new Promise((resolve) => {
      resolve(SqliteFactSource.opened(absolute(given)))
    })
  }

  private static opened(given: string): SqliteFactSource {
    if (!existsSync(given) || statSync(given).size === 0) {
      throw new StoreNotOpened(`${given} is missing or empty: there is nothing to copy`)
    }
    const path = realpathSync(given)
    const lock = DataLock.take(path)
    try {
      inspectFile(path)
      assertOurTypes(untouched(path))
      const log = new SqliteFactLog(untouched(path), new CommitSignal())
      return new SqliteFactSource(log, erasedIn(path), lock)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  erased(): Promise<ErasedCounts> {
    const { streams } = this.inFile
    return Promise.resolve({
      unfinished: streams.filter(({ removedTo, position }) => removedTo < position).length,
      suppressed: streams.filter(({ suppressed }) => suppressed !== undefined).length,
    })
  }

  async close(): Promise<void> {
    await this.log.close()
    this.lock.release()
  }
}

/**
 * The soft-deleted streams in a file. `secret` is the key with which their former names are hashed if reuse of
 * the external id is blocked.
 */
interface ErasedInFile {
  readonly streams: readonly SuppressedRow[]
  readonly secret: Buffer | undefined
}

function erasedIn(path: string): ErasedInFile {
  const db = openDatabase(untouched(path), { readOnly: true })
  try {
    const streams = closedStreams(db)
    const isNeeded = streams.some(({ suppressed }) => suppressed !== undefined)
    return { streams, secret: new NameSecret(secretPath(path), isNeeded).bytes }
  } finally {
    db.close()
  }
}

/**
 * Returns the soft-deleted streams of the file. Returns an empty list for a file of an earlier schema version,
 * which has no table for them.
 */
function closedStreams(db: Database): readonly SuppressedRow[] {
  const table = valueOf(db, "SELECT 1 FROM sqlite_schema WHERE name = 'erased'")
  return table === undefined ? [] : new ErasedStreams(db).all()
}

/**
 * Throws `CopyRefused` when the file has facts of an unknown type. The fact log skips such facts, so a copy
 * would lose them without an error.
 */
function assertOurTypes(path: string): void {
  const db = openDatabase(path, { readOnly: true })
  try {
    const types = prepareRows(db, 'SELECT DISTINCT type FROM facts').all().map(String)
    const unknown = types.find((type) => !isFactName(type))
    if (unknown === undefined) return
    throw new CopyRefused(
      `the source has facts of the type ${JSON.stringify(unknown)}, which this version does not ` +
        'know: copy the source with the version that wrote these facts',
    )
  } finally {
    db.close()
  }
}
