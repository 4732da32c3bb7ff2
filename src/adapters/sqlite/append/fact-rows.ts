import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Database, Statement } from '../file/driver.js'

/** So many rows go into the table with one statement: a third of the cost of one statement each. */
const rowsAtOnce = 16

/** Rows of facts on their way into the table: held back until a statement is full. */
export class FactRows {
  private waiting: (string | number)[] = []
  private readonly many: Statement
  private readonly one: Statement

  constructor(db: Database) {
    const row = '(?, ?, ?, ?, ?, ?)'
    this.many = db.prepare(`INSERT INTO facts VALUES ${Array(rowsAtOnce).fill(row).join(', ')}`)
    this.one = db.prepare(`INSERT INTO facts VALUES ${row}`)
  }

  add(position: number, streamId: number, { id, type, data, metadata }: StoredFact): void {
    this.waiting.push(position, streamId, id, type, data, metadata)
    if (this.waiting.length < rowsAtOnce * columns) return
    const values = this.waiting
    this.waiting = []
    this.many.run(...values)
  }

  /** From here on a SELECT sees every row that was added. */
  write(): void {
    const values = this.waiting
    this.waiting = []
    for (let at = 0; at < values.length; at += columns) {
      this.one.run(...values.slice(at, at + columns))
    }
  }

  /** Drops what waits: its transaction is rolled back. */
  drop(): void {
    this.waiting = []
  }
}

const columns = 6
