import type { Database } from './database.js'

/**
 * The ids of processed facts make "exactly once" exact, for ever: a fact takes effect once, whatever
 * position it comes at. They cost about 40 bytes a fact; see the README for what may take their place.
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

  /** Whether it was not there before. */
  add({ id }: { readonly id: string }): boolean {
    return this.remember.run(Buffer.from(id.replaceAll('-', ''), 'hex')).changes > 0
  }
}
