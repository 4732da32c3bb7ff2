import { openDatabase, prepareRows, type Database } from '../src/adapters/sqlite/file/driver.js'

/** Reads a SQLite file beside the service, over a separate read-only connection. */
export class SqliteReader {
  private readonly db: Database

  constructor(path: string) {
    this.db = openDatabase(path, { readOnly: true })
  }

  /** Returns the rows, each as a list of its columns. */
  rows(sql: string, ...values: readonly number[]): unknown[] {
    return prepareRows(this.db, sql).all(...values)
  }

  close(): void {
    this.db.close()
  }
}
