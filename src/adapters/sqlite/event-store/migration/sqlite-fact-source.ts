import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { isFactName } from '../../../../application/facts/fact-format.js'
import { type FactSource, CopyRefused } from '../../../../application/migration/ports/fact-copy.js'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import { DataLock } from '../../file/data-lock.js'
import { openDatabase, prepareRows } from '../../file/driver.js'
import { inspectFile, untouched } from '../../file/inspect-file.js'
import { CommitSignal } from '../log/commit-signal.js'
import { SqliteFactLog } from '../log/sqlite-fact-log.js'

/** The facts of one SQLite file, which is locked meanwhile and never written. */
export class SqliteFactSource implements FactSource {
  private constructor(
    readonly log: SqliteFactLog,
    private readonly lock: DataLock,
  ) {}

  /**
   * Rejects with `StoreNotOpened` when the file is missing, in use, damaged or not ours, and with
   * `CopyRefused` when it has facts that came after this program.
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
      return new SqliteFactSource(new SqliteFactLog(untouched(path), new CommitSignal()), lock)
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /** A file forgets what is removed from it. */
  removed(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set())
  }

  async close(): Promise<void> {
    await this.log.close()
    this.lock.release()
  }
}

/** The log passes over types that it does not know: a copy would lose them without a word. */
function assertOurTypes(path: string): void {
  const db = openDatabase(path, { readOnly: true })
  try {
    const types = prepareRows(db, 'SELECT DISTINCT type FROM facts').all().map(String)
    const unknown = types.find((type) => !isFactName(type))
    if (unknown === undefined) return
    throw new CopyRefused(
      `the source has facts of the type ${JSON.stringify(unknown)}, which this version does not ` +
        'know: copy it with the version that wrote them',
    )
  } finally {
    db.close()
  }
}
