import { prepareAll, type Database, type Statements } from '../../../file/driver.js'
import { numberIn } from '../../../file/row.js'

const sql = {
  find: 'SELECT facts FROM stream_lengths WHERE stream = ?',
  keep: 'INSERT OR REPLACE INTO stream_lengths VALUES (?, ?)',
} as const

/** The number of facts in each stream that is appended to at an expected revision. */
export class StreamLengths {
  private readonly statements: Statements<typeof sql>
  /** The cached lengths. They are few: there are a few streams for each segment that was ever defined. */
  private readonly lengths = new Map<string, number>()
  private readonly changed = new Set<string>()

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  add(stream: string): void {
    this.lengths.set(stream, this.of(stream) + 1)
    this.changed.add(stream)
  }

  of(stream: string): number {
    const length = this.lengths.get(stream) ?? numberIn(this.statements.find.get(stream)) ?? 0
    this.lengths.set(stream, length)
    return length
  }

  write(): void {
    for (const stream of this.changed) this.statements.keep.run(stream, this.of(stream))
    this.changed.clear()
  }
}
