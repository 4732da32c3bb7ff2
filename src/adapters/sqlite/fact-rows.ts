import type Database from 'libsql'
import type { StoredFact } from '../../application/ports/event-store.js'

/** So many rows go into the table with one statement: a third of the cost of one statement each. */
const rowsAtOnce = 16

/** Rows of facts on their way into the table: held back until a statement is full. */
export class FactRows {
  private waiting: (string | number)[][] = []
  private readonly many: Database.Statement
  private readonly one: Database.Statement

  constructor(db: Database.Database) {
    const row = '(?, ?, ?, ?, ?, ?)'
    this.many = db.prepare(`INSERT INTO facts VALUES ${Array(rowsAtOnce).fill(row).join(', ')}`)
    this.one = db.prepare(`INSERT INTO facts VALUES ${row}`)
  }

  add(position: number, streamId: number, { id, type, data, metadata }: StoredFact): void {
    this.waiting.push([position, streamId, id, type, data, metadata])
    if (this.waiting.length < rowsAtOnce) return
    this.many.run(this.waiting.flat())
    this.waiting = []
  }

  /** From here on a SELECT sees every row that was added. */
  write(): void {
    for (const row of this.waiting) this.one.run(row)
    this.waiting = []
  }

  /** Drops what waits: its transaction is rolled back. */
  drop(): void {
    this.waiting = []
  }
}
