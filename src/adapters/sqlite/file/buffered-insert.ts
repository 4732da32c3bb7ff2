import { prepareRows, type Database, type SqlValue, type Statement } from './driver.js'

/**
 * The number of rows per INSERT statement. One statement for all of these rows costs a third of one statement
 * per row.
 */
const rowsAtOnce = 16

/** Buffers rows for one table and inserts many of them with one statement. */
export class BufferedInsert {
  private waiting: SqlValue[] = []
  private readonly many: Statement
  private readonly one: Statement
  private readonly columns: number

  /** `verb` says whether a new row may replace an existing row. */
  constructor(db: Database, table: string, verb: 'INSERT' | 'INSERT OR REPLACE' = 'INSERT') {
    this.columns = prepareRows(db, `PRAGMA table_info(${table})`).all().length
    const row = `(${Array(this.columns).fill('?').join(', ')})`
    const into = `${verb} INTO ${table} VALUES`
    this.many = db.prepare(`${into} ${Array(rowsAtOnce).fill(row).join(', ')}`)
    this.one = db.prepare(`${into} ${row}`)
  }

  add(...row: readonly SqlValue[]): void {
    this.waiting.push(...row)
    if (this.waiting.length < rowsAtOnce * this.columns) return
    const values = this.waiting
    this.waiting = []
    this.many.run(...values)
  }

  /** Inserts all buffered rows, so that a SELECT sees them. */
  write(): void {
    const values = this.waiting
    this.waiting = []
    for (let at = 0; at < values.length; at += this.columns) {
      this.one.run(...values.slice(at, at + this.columns))
    }
  }

  /** Discards the buffered rows. Call it when the transaction is rolled back. */
  drop(): void {
    this.waiting = []
  }
}
