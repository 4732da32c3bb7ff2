import { rowsOf, type Database } from '../database.js'
import { addendOf, digestOf } from './digest.js'

export const membersTable = `
  CREATE TABLE IF NOT EXISTS members (
    entity_id TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;`

/** A set of entities and its digest, which each change brings up to date. Ids are kept in lower case. */
export class Members {
  private readonly statements: ReturnType<typeof prepare>
  private sum = 0n
  private size = 0

  constructor(db: Database) {
    this.statements = prepare(db)
    this.readAgain()
  }

  get count(): number {
    return this.size
  }

  get digest(): string {
    return digestOf(this.sum)
  }

  ids(): readonly string[] {
    const rows = this.statements.all.all() as (readonly [string])[]
    return rows.map(([id]) => id)
  }

  add(entityId: string): void {
    if (this.statements.add.run(entityId.toLowerCase()).changes === 0) return
    this.size += 1
    this.sum += addendOf(entityId)
  }

  remove(entityId: string): void {
    if (this.statements.remove.run(entityId.toLowerCase()).changes === 0) return
    this.size -= 1
    this.sum -= addendOf(entityId)
  }

  replace(entityIds: readonly string[]): void {
    this.statements.clear.run()
    this.size = 0
    this.sum = 0n
    for (const id of entityIds) this.add(id)
  }

  /** Counts and sums what the table has: at the start, and after a transaction that was undone. */
  readAgain(): void {
    const ids = this.ids()
    this.size = ids.length
    this.sum = ids.reduce((sum, id) => sum + addendOf(id), 0n)
  }
}

function prepare(db: Database) {
  return {
    all: rowsOf(db.prepare('SELECT entity_id FROM members ORDER BY entity_id')),
    add: db.prepare('INSERT OR IGNORE INTO members (entity_id) VALUES (?)'),
    remove: db.prepare('DELETE FROM members WHERE entity_id = ?'),
    clear: db.prepare('DELETE FROM members'),
  }
}
