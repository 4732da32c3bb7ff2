import type { KeyedFacts, Queries } from '../../../../application/reading/ports/read-model.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { factIn, numbersIn } from '../../file/row.js'

/** What was stored under idempotency keys, of facts that are stored in the read model. */
export class KeyQueries {
  private readonly find: Statement
  private readonly facts: Statement

  constructor(db: Database) {
    this.find = prepareRows(
      db,
      `SELECT stream_id, first_position, last_position
       FROM keys JOIN streams ON streams.id = keys.stream_id WHERE name = ? AND key = ?`,
    )
    this.facts = prepareRows(
      db,
      `SELECT id, type, data, metadata FROM facts
       WHERE position BETWEEN ? AND ? AND stream_id = ? ORDER BY position`,
    )
  }

  keyed({ stream, key }: Queries['keyed']['query']): KeyedFacts | undefined {
    const row = this.find.get(stream, key)
    if (row === undefined) return undefined
    const [streamId = 0, first = 0, last = 0] = numbersIn(row)
    return { facts: this.facts.all(first, last, streamId).map(factIn), position: last }
  }
}
