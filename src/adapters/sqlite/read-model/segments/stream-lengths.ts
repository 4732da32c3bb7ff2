import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn } from '../../file/row.js'

/** How many facts the streams have that are appended to at an exact revision. */
export class StreamLengths {
  private readonly find: Statement
  private readonly count: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT facts FROM stream_lengths WHERE stream = ?')
    this.count = db.prepare(
      'INSERT INTO stream_lengths VALUES (?, 1) ON CONFLICT DO UPDATE SET facts = facts + 1',
    )
  }

  add(stream: string): void {
    this.count.run(stream)
  }

  of(stream: string): number {
    return numberIn(this.find.get(stream)) ?? 0
  }
}
