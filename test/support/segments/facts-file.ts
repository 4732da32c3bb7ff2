import {
  openDatabase,
  prepareAll,
  type Database,
  type Statements,
} from '../../../src/adapters/sqlite/file/driver.js'
import { factTables } from '../../../src/adapters/sqlite/file/schema.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'

const sql = {
  addStream: 'INSERT OR REPLACE INTO streams VALUES (?, ?)',
  add: 'INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)',
} as const

/** The tables of an embedded store, filled by a test. */
export class FactsFile {
  private readonly db: Database
  private readonly statements: Statements<typeof sql>
  private readonly starts = new Map<string, number>()

  constructor(readonly path: string) {
    this.db = openDatabase(path)
    this.db.exec('PRAGMA synchronous = OFF')
    this.db.exec('PRAGMA journal_mode = MEMORY')
    this.db.exec(factTables)
    this.statements = prepareAll(this.db, sql)
  }

  /** Adds a fact, and returns it as a reader of the file gets it. */
  add(logged: LoggedFact): LoggedFact {
    const { position, stream, id, type, data, metadata } = logged
    const streamStart = logged.streamStart ?? this.starts.get(stream) ?? position
    if (!this.starts.has(stream)) {
      this.starts.set(stream, streamStart)
      this.statements.addStream.run(streamStart, stream)
    }
    const row = [position, streamStart, id, type, data, metadata] as const
    this.statements.add.run(...row)
    return { ...logged, streamStart }
  }

  /** Replaces the log. */
  replace(log: readonly LoggedFact[]): void {
    this.db.exec('BEGIN')
    this.db.exec('DELETE FROM facts')
    this.starts.clear()
    this.db.exec('DELETE FROM streams')
    for (const logged of log) this.add(logged)
    this.db.exec('COMMIT')
  }

  close(): void {
    this.db.close()
  }
}
