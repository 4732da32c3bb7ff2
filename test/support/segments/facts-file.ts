import { openDatabase, type Database } from '../../../src/adapters/sqlite/file/driver.js'
import { factTables } from '../../../src/adapters/sqlite/file/schema.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'

/** The tables of an embedded store, with a log that a test writes. */
export class FactsFile {
  private readonly db: Database
  private readonly starts = new Map<string, number>()

  constructor(readonly path: string) {
    this.db = openDatabase(path)
    this.db.exec(factTables)
  }

  /** As it is read from there. */
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

  /** Another log in its place. */
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
