import Database from 'libsql'

/** Reads a SQLite file beside the service, over a connection of its own that cannot write. */
export class SqliteReader {
  private readonly db: Database.Database

  /** The only place of the drill that knows the driver. */
  constructor(path: string) {
    this.db = new Database(path, { readonly: true })
  }

  /** The rows, each a list of its columns. */
  rows(sql: string, ...values: readonly number[]): unknown[] {
    return this.db
      .prepare(sql)
      .raw()
      .all(...values)
  }

  close(): void {
    this.db.close()
  }
}
