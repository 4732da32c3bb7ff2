import { noRevision, type StreamFact } from '../../../application/ports/exact-appends.js'
import { type Database, prepareAll, type Statements } from './driver.js'
import { factIn, numbersIn, valuesIn } from './row.js'

const pageSize = 256

interface StreamEnd {
  readonly revision: number
  readonly position: number
}

/**
 * Reads and writes the table `revisions`, which finds the facts of a stream by revision. Every method may throw
 * SQLite errors.
 */
export class Revisions {
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  endOf(streamId: number): StreamEnd {
    const row = this.statements.end.get(streamId)
    if (row === undefined) return { revision: noRevision, position: 0 }
    const [revision = 0, position = 0] = numbersIn(row)
    return { revision, position }
  }

  insert(streamId: number, { revision, position }: StreamEnd): void {
    this.statements.insert.run(streamId, revision, position)
  }

  page(streamId: number, from: number): readonly StreamFact[] {
    return this.statements.page.all(streamId, from, pageSize).map((row) => {
      const [revision, position, ...fact] = valuesIn(row)
      return { revision: Number(revision), position: Number(position), ...factIn(fact) }
    })
  }
}

const sql = {
  end: `SELECT revision, position FROM revisions WHERE stream_id = ?
       ORDER BY revision DESC LIMIT 1`,
  insert: 'INSERT INTO revisions VALUES (?, ?, ?)',
  page: `SELECT revision, facts.position, id, type, data, metadata
       FROM revisions JOIN facts ON facts.position = revisions.position
       WHERE revisions.stream_id = ? AND revision >= ? ORDER BY revision LIMIT ?`,
}
