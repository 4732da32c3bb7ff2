import { readFact } from '../../../application/facts/fact-format.js'
import { type Fact, meaningOf } from '../../../application/facts/fact-table.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import { prepareAll, type Database, type Statements } from '../file/driver.js'
import { numberIn, numbersIn, timestampIn } from '../file/row.js'
import type { Entry } from './entity-log/block.js'
import type { FactReader } from '../file/fact-reader.js'
import type { LogTimes } from './log-times.js'

interface UsedTables {
  readonly db: Database
  readonly facts: Pick<FactReader, 'find'>
  readonly logTimes: LogTimes
}

/**
 * Finds the clock floors that a removal of facts makes necessary. Log time is the highest time of all facts so far,
 * so removed facts may have determined the log time of facts at higher positions. A clock floor preserves that log
 * time: it is the minimum log time at one remaining fact.
 *
 * A clock floor is needed when facts with consecutive positions are removed and the next fact was recorded before
 * their log time. The floor belongs to that next fact. If the next fact is removed later, that removal sets a floor
 * on the fact after it. `EntityErased` never gets a floor, because stores remove it as well.
 */
export class ClockFloors {
  private readonly statements: Statements<typeof sql>

  constructor(private readonly tables: UsedTables) {
    this.statements = prepareAll(tables.db, sql)
  }

  /**
   * Returns the clock floors for facts that are about to be removed. The entity's facts at higher positions
   * must be removed already.
   */
  of(entity: number, entries: readonly Entry[]): readonly ClockFloor[] {
    const floors: ClockFloor[] = []
    let end: Entry | undefined
    for (const [index, entry] of entries.toReversed().entries()) {
      end ??= entry
      const [before, stream] = numbersIn(this.statements.before.get(entry.position) ?? [])
      const isSameStream = stream === entity
      if (isSameStream && index < entries.length - 1) continue
      const reached = !isSameStream && before !== undefined ? this.logTimeAt(before) : undefined
      if (reached === undefined || reached < end.logTime) {
        floors.push(...this.floorsAfter(entity, end.position, end.logTime))
      }
      end = undefined
    }
    return floors
  }

  /**
   * Returns the clock floor that is needed after the removal of the `EntityErased` at a position and of the facts
   * directly before it. Returns an empty list when no floor is needed.
   */
  afterErasure(entity: number | undefined, position: number): readonly ClockFloor[] {
    const logTime = this.logTimeAt(position)
    return logTime === undefined ? [] : this.floorsAfter(entity ?? 0, position, logTime)
  }

  /**
   * Returns whether the result of `afterErasure` is final. The result is final when a fact at a higher position
   * exists that can get the floor.
   */
  isFollowed(entity: number | undefined, position: number): boolean {
    return this.next(entity ?? 0, position) !== undefined
  }

  private next(entity: number, position: number): number | undefined {
    return numberIn(this.statements.after.get(position, entity))
  }

  private floorsAfter(entity: number, position: number, logTime: number): readonly ClockFloor[] {
    const next = this.next(entity, position)
    const logged = next === undefined ? undefined : this.tables.facts.find(next)
    const fact = logged && readFact(logged)
    const recordedAt = fact && meaningOf(fact).recordedAt
    if (logged === undefined || recordedAt === undefined || epochMsOf(recordedAt) >= logTime) {
      return []
    }
    return [{ fact: logged.id, at: timestampIn(logTime) }]
  }

  private logTimeAt(position: number): number | undefined {
    const logged = this.tables.facts.find(position)
    return logged && this.tables.logTimes.at(logged)
  }
}

/**
 * The fact types that never get a clock floor. Stores remove `EntityErased`. Facts of the other types are
 * derived from the fact log and do not change log time.
 */
const skipped: readonly Fact['type'][] = [
  'EntityErased',
  'EntityEnteredSegment',
  'EntityLeftSegment',
  'SegmentBuilt',
]
const isNamed = `type NOT IN ('${skipped.join("', '")}')`

const sql = {
  before: `SELECT position, stream_id FROM facts WHERE position < ? AND ${isNamed}
           ORDER BY position DESC LIMIT 1`,
  after: `SELECT position FROM facts WHERE position > ? AND stream_id != ? AND ${isNamed}
           ORDER BY position LIMIT 1`,
}
