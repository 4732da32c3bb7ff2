import type { Database } from './database.js'

/**
 * The ids of processed facts. With them, each fact takes effect exactly once, even if it is delivered at another
 * position. They cost about 40 bytes per fact. The README names alternatives.
 */
export const processedFactsTable = `
  CREATE TABLE IF NOT EXISTS counted (
    fact_id BLOB PRIMARY KEY
  ) STRICT, WITHOUT ROWID;`

export class ProcessedFacts {
  private readonly remember: ReturnType<Database['prepare']>

  constructor(db: Database) {
    this.remember = db.prepare('INSERT OR IGNORE INTO counted (fact_id) VALUES (?)')
  }

  /** Adds a fact id. Returns false when the id was already stored. */
  add({ id }: { readonly id: string }): boolean {
    return this.remember.run(Buffer.from(id.replaceAll('-', ''), 'hex')).changes > 0
  }
}
