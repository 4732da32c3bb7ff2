import { readFact } from '../../../application/facts/fact-format.js'
import { type Fact, meaningOf } from '../../../application/facts/fact-table.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import { prepareAll, type Database, type Statements } from '../file/driver.js'
import { numberIn, numbersIn, timestampIn } from '../file/row.js'
import type { Entry } from './entity-log/block.js'
import type { FactReader } from '../file/fact-reader.js'
import type { LogTimes } from './segments/log-times.js'

interface LookedAt {
  readonly db: Database
  readonly facts: Pick<FactReader, 'find'>
  readonly logTimes: LogTimes
}

/**
 * Finds the facts whose log time came from facts that are removed: of each run of such facts the first one
 * behind it, if that was recorded at an earlier instant. Where the persons are removed in the order of their
 * erasures it may be a fact of one who is removed later, whose removal names the next one then. An
 * `EntityErased` is never named: stores remove it as well.
 */
export class ClockFloors {
  private readonly statements: Statements<typeof sql>

  constructor(private readonly tables: LookedAt) {
    this.statements = prepareAll(tables.db, sql)
  }

  /** Before facts of an entity are removed, in their order; those behind them are gone. */
  of(entity: number, entries: readonly Entry[]): readonly ClockFloor[] {
    const floors: ClockFloor[] = []
    let end: Entry | undefined
    for (const [index, entry] of entries.toReversed().entries()) {
      end ??= entry
      const [before, stream] = numbersIn(this.statements.before.get(entry.position) ?? [])
      const goesOn = stream === entity
      if (goesOn && index < entries.length - 1) continue
      const reached = !goesOn && before !== undefined ? this.logTimeAt(before) : undefined
      if (reached === undefined || reached < end.logTime) {
        floors.push(...this.behind(entity, end.position, end.logTime))
      }
      end = undefined
    }
    return floors
  }

  /** What came from the `EntityErased` at a position, or from what is gone before it. */
  behindErasure(entity: number | undefined, position: number): readonly ClockFloor[] {
    const logTime = this.logTimeAt(position)
    return logTime === undefined ? [] : this.behind(entity ?? 0, position, logTime)
  }

  /** Whether it is certain what came from the `EntityErased` at a position, and from what is gone before it. */
  isFollowed(entity: number | undefined, position: number): boolean {
    return this.next(entity ?? 0, position) !== undefined
  }

  private next(entity: number, position: number): number | undefined {
    return numberIn(this.statements.behind.get(position, entity))
  }

  private behind(entity: number, position: number, logTime: number): readonly ClockFloor[] {
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

/** Stores remove the first one; the others are derived, and move no log time. */
const passedOver: readonly Fact['type'][] = [
  'EntityErased',
  'EntityEnteredSegment',
  'EntityLeftSegment',
  'SegmentBuilt',
]
const isNamed = `type NOT IN ('${passedOver.join("', '")}')`

const sql = {
  before: `SELECT position, stream_id FROM facts WHERE position < ? AND ${isNamed}
           ORDER BY position DESC LIMIT 1`,
  behind: `SELECT position FROM facts WHERE position > ? AND stream_id != ? AND ${isNamed}
           ORDER BY position LIMIT 1`,
}
