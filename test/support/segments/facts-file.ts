import { openDatabase, type Database } from '../../../src/adapters/sqlite/file/driver.js'
import { factTables } from '../../../src/adapters/sqlite/file/schema.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'

/** The tables of an embedded store, filled by a test. */
export class FactsFile {
  private readonly db: Database
  private readonly starts = new Map<string, number>()

  constructor(readonly path: string) {
    this.db = openDatabase(path)
    this.db.exec('PRAGMA synchronous = OFF')
    this.db.exec(factTables)
  }

  /** Adds a fact, and returns it as a reader of the file gets it. */
  add(logged: LoggedFact): LoggedFact {
    const { position, stream, id, type, data, metadata } = logged
    const streamStart = logged.streamStart ?? this.starts.get(stream) ?? position
    if (!this.starts.has(stream)) {
      this.starts.set(stream, streamStart)
      this.db.prepare('INSERT OR REPLACE INTO streams VALUES (?, ?)').run(streamStart, stream)
    }
    const row = [position, streamStart, id, type, data, metadata] as const
    this.db.prepare('INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?)').run(...row)
    return { ...logged, streamStart }
  }

  /** Replaces the log. */
  replace(log: readonly LoggedFact[]): void {
    this.db.exec('DELETE FROM facts')
    this.starts.clear()
    this.db.exec('DELETE FROM streams')
    for (const logged of log) this.add(logged)
  }

  close(): void {
    this.db.close()
  }
}
