import type { Database, SqlValue, Statement } from './driver.js'

/**
 * The number of rows per INSERT statement. One statement for all of these rows costs a third of one statement
 * per row.
 */
const rowsAtOnce = 16

/**
 * Buffers rows for one table and inserts many of them with one statement. The statements are prepared when they are
 * first used: most connections insert into few tables.
 */
export class BufferedInsert {
  private waiting: SqlValue[] = []
  private many: Statement | undefined
  private one: Statement | undefined
  /** The number of columns. 0 before the first row. */
  private columns = 0

  /** `verb` says whether a new row may replace an existing row. */
  constructor(
    private readonly db: Database,
    private readonly table: string,
    private readonly verb: 'INSERT' | 'INSERT OR REPLACE' = 'INSERT',
  ) {}

  add(...row: readonly SqlValue[]): void {
    this.columns = row.length
    this.waiting.push(...row)
    if (this.waiting.length < rowsAtOnce * this.columns) return
    const values = this.waiting
    this.waiting = []
    this.many ??= this.prepare(rowsAtOnce)
    this.many.run(...values)
  }

  /** Inserts all buffered rows, so that a SELECT sees them. */
  write(): void {
    if (this.waiting.length === 0) return
    const values = this.waiting
    this.waiting = []
    this.one ??= this.prepare(1)
    for (let at = 0; at < values.length; at += this.columns) {
      this.one.run(...values.slice(at, at + this.columns))
    }
  }

  private prepare(rows: number): Statement {
    const row = `(${Array(this.columns).fill('?').join(', ')})`
    return this.db.prepare(
      `${this.verb} INTO ${this.table} VALUES ${Array(rows).fill(row).join(', ')}`,
    )
  }

  /** Discards the buffered rows. Call it when the transaction is rolled back. */
  drop(): void {
    this.waiting = []
  }
}
