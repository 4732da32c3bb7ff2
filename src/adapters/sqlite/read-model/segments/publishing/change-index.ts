import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  SegmentBuilt,
} from '../../../../../domain/segments/segment-facts.js'
import { epochMsOf } from '../../../../../domain/timestamp.js'
import { BufferedInsert } from '../../../file/buffered-insert.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { numbersIn } from '../../../file/row.js'

export const dayMs = 86_400_000

/**
 * The table `changes` contains the positions of published membership changes, by segment and by the instant of
 * the change. The table `segment_days` contains the number of members at the end of each day with a membership
 * change. The row of the latest day contains the current number. A day is stored as the number of days since
 * 1970, in UTC.
 */
export const publishedTables = `
  CREATE TABLE changes (
    segment TEXT NOT NULL,
    at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (segment, at, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE segment_days (
    segment TEXT NOT NULL,
    day INTEGER NOT NULL,
    members INTEGER NOT NULL,
    PRIMARY KEY (segment, day)
  ) STRICT, WITHOUT ROWID;`

interface LastDay {
  day: number
  members: number
}

/** Indexes published membership changes, and stores the number of members per day. */
export class ChangeIndex {
  private readonly changes: BufferedInsert
  private readonly statements: Statements<typeof sql>
  private readonly lastDays = new Map<string, LastDay>()
  private readonly changed = new Set<string>()

  constructor(db: Database) {
    this.changes = new BufferedInsert(db, 'changes')
    this.statements = prepareAll(db, sql)
  }

  built({ data }: SegmentBuilt): void {
    const { segment, builtAt, members } = data
    this.dayOf(segment, epochMsOf(builtAt)).members = members
  }

  take({ type, data }: EntityEnteredSegment | EntityLeftSegment, position: number): void {
    const at = epochMsOf(data.at)
    this.changes.add(data.segment, at, position)
    this.dayOf(data.segment, at).members += type === 'EntityEnteredSegment' ? 1 : -1
  }

  private dayOf(segment: string, at: number): LastDay {
    const last = this.lastDays.get(segment) ?? this.stored(segment)
    this.lastDays.set(segment, last)
    const day = Math.floor(at / dayMs)
    if (day > last.day) {
      this.writeDay(segment)
      last.day = day
    }
    this.changed.add(segment)
    return last
  }

  private stored(segment: string): LastDay {
    const [day = 0, members = 0] = numbersIn(this.statements.last.get(segment) ?? [])
    return { day, members }
  }

  write(): void {
    this.changes.write()
    for (const segment of [...this.changed]) this.writeDay(segment)
  }

  private writeDay(segment: string): void {
    const last = this.lastDays.get(segment)
    if (!this.changed.delete(segment) || last === undefined) return
    this.statements.keep.run(segment, last.day, last.members)
  }
}

const sql = {
  last: 'SELECT day, members FROM segment_days WHERE segment = ? ORDER BY day DESC LIMIT 1',
  keep: 'INSERT OR REPLACE INTO segment_days VALUES (?, ?, ?)',
}
