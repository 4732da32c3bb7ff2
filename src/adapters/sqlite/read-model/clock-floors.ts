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
 * Finds the facts whose log time came from removed facts. For each run of removed facts, that is the next fact, if
 * it was recorded at an earlier instant. The next fact may belong to an entity that is removed later; the later
 * removal then names the fact after it. `EntityErased` is never named, because stores remove it too.
 */
export class ClockFloors {
  private readonly statements: Statements<typeof sql>

  constructor(private readonly tables: LookedAt) {
    this.statements = prepareAll(tables.db, sql)
  }

  /** The floors for facts of an entity that are about to be removed. Later facts of the entity are gone already. */
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

  /** The floor for the `EntityErased` at a position, and for removed facts before it. */
  afterErasure(entity: number | undefined, position: number): readonly ClockFloor[] {
    const logTime = this.logTimeAt(position)
    return logTime === undefined ? [] : this.floorsAfter(entity ?? 0, position, logTime)
  }

  /** Whether `afterErasure` is final: a later fact exists that determines the floor. */
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

/** Stores remove `EntityErased`. The other types are derived, and do not move log time. */
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
