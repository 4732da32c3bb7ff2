import type { Position } from 'dossier/subscription'
import { rowsOf, type Database } from './database.js'

export const checkpointTable = `
  CREATE TABLE IF NOT EXISTS checkpoint (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    commit_position TEXT NOT NULL,
    prepare_position TEXT NOT NULL
  ) STRICT;`

/** The last processed position. Store it in one transaction with the rows that the facts change. */
export class Checkpoint {
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
  }

  /** The last processed position. Undefined before the first fact. */
  get position(): Position | undefined {
    const row = this.statements.read.get() as readonly [string, string] | undefined
    if (row === undefined) return undefined
    const [commit, prepared] = row
    return { commit: BigInt(commit), prepare: BigInt(prepared) }
  }

  keep({ commit, prepare: prepared }: Position): void {
    this.statements.keep.run(String(commit), String(prepared))
  }
}

function prepare(db: Database) {
  return {
    read: rowsOf(db.prepare('SELECT commit_position, prepare_position FROM checkpoint')),
    keep: db.prepare(
      `INSERT INTO checkpoint (only_row, commit_position, prepare_position) VALUES (1, ?, ?)
       ON CONFLICT DO UPDATE SET commit_position = excluded.commit_position,
         prepare_position = excluded.prepare_position`,
    ),
  }
}
