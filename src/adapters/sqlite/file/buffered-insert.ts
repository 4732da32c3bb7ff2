import { prepareRows, type Database, type SqlValue, type Statement } from './driver.js'

/** Rows that go into the table with one statement: a third of the cost of one statement each. */
const rowsAtOnce = 16

/** Rows on their way into a table: buffered until a statement is full. */
export class BufferedInsert {
  private waiting: SqlValue[] = []
  private readonly many: Statement
  private readonly one: Statement
  private readonly columns: number

  /** `verb`: what becomes of a row that is there. */
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

  /** From here on a SELECT sees every row that was added. */
  write(): void {
    const values = this.waiting
    this.waiting = []
    for (let at = 0; at < values.length; at += this.columns) {
      this.one.run(...values.slice(at, at + this.columns))
    }
  }

  /** Drops what waits: its transaction is rolled back. */
  drop(): void {
    this.waiting = []
  }
}
