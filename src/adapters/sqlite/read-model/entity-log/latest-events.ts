import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { numberIn, valuesIn } from '../../file/row.js'

/** When the map has more than `tooMany` entities, only the latest `kept` entities stay in it. */
const kept = 2_000
const tooMany = 16_000
const rowsAtOnce = 2_000
const afterAll = Number.MAX_SAFE_INTEGER

/**
 * The entities with the latest events. Looks at all entity logs once, for the first query, and then follows new
 * events in memory. A process that gets no such query does no work.
 *
 * The map contains every entity whose latest event is after `floor`. The latest event of every other entity is at
 * `floor` or earlier.
 */
export class LatestEvents {
  private readonly latest = new Map<number, number>()
  private floor = -Infinity
  private isFollowing = false
  /** The lowest entity whose log is read. Undefined when all logs are read. */
  private readFrom: number | undefined = afterAll
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  /**
   * Notes the latest time of occurrence of an entity's events. Call this method when that time may have become
   * later.
   */
  add(entity: number, latestAt: number): void {
    if (!this.isFollowing || latestAt <= this.floor) return
    const before = this.latest.get(entity)
    if (before !== undefined && before >= latestAt) return
    this.latest.set(entity, latestAt)
    if (this.latest.size > tooMany) this.dropEarliest()
  }

  /**
   * Notes the latest time of occurrence of an entity's events after a void. The time is -Infinity when no event is
   * left.
   */
  set(entity: number, latestAt: number): void {
    this.latest.delete(entity)
    if (latestAt > -Infinity) this.add(entity, latestAt)
  }

  /**
   * Returns at most `count` entities for which `exists` returns true: those with the latest events, the latest
   * first. The pending log entries must be written.
   */
  *newest(count: number, exists: (entity: number) => boolean): InPieces<readonly number[]> {
    if (this.readFrom !== undefined) yield* this.readAll()
    const found = this.newestOf(count, exists)
    if (found.length === count || this.floor === -Infinity) return found
    yield* this.readAll()
    return this.newestOf(count, exists)
  }

  private newestOf(count: number, exists: (entity: number) => boolean): readonly number[] {
    if (this.latest.size > kept) this.dropEarliest()
    const sorted = [...this.latest].sort(
      ([leftId, left], [rightId, right]) => right - left || rightId - leftId,
    )
    const found: number[] = []
    for (const [entity] of sorted) {
      if (found.length === count) break
      if (exists(entity)) found.push(entity)
      else this.latest.delete(entity)
    }
    return found
  }

  /**
   * Reads the logs that are not read yet, or all logs if all are read. Queries that read at the same time share the
   * progress, and the next query continues after one that was cancelled. Begins with the newest entities, because
   * these often have the latest events: a high floor then excludes most other entities in SQL.
   */
  private *readAll(): InPieces<void> {
    if (this.readFrom === undefined) {
      this.latest.clear()
      this.floor = -Infinity
      this.readFrom = afterAll
    }
    this.isFollowing = true
    while (this.readFrom !== undefined) {
      const { readFrom, floor } = this
      const from = numberIn(this.statements.nthBefore.get(readFrom, rowsAtOnce - 1))
      const row = this.statements.between.get(from ?? 0, readFrom, floor)
      const [entities, instants] = valuesIn(row)
      const latest = listIn(instants)
      for (const [index, entity] of listIn(entities).entries()) {
        this.add(entity, latest[index] ?? -Infinity)
      }
      this.readFrom = from
      yield
    }
  }

  private dropEarliest(): void {
    const instants = Float64Array.from(this.latest.values()).sort()
    const floor = instants[instants.length - kept - 1] ?? this.floor
    this.floor = floor
    // Keeps only some of the entities at the floor, because any number of events may have one instant.
    let atFloor = kept - instants.subarray(instants.lastIndexOf(floor) + 1).length
    for (const [entity, at] of this.latest) {
      if (at > floor) continue
      if (at === floor && atFloor > 0) atFloor -= 1
      else this.latest.delete(entity)
    }
  }
}

const sql = {
  nthBefore:
    'SELECT entity FROM entity_logs WHERE entity < ? ORDER BY entity DESC LIMIT 1 OFFSET ?',
  // One text for many rows costs a third of a row for each entity.
  between: `SELECT group_concat(entity), group_concat(last_event_at) FROM entity_logs
            WHERE entity >= ? AND entity < ? AND last_event_at > ?`,
}

/** Returns the numbers in a result of `group_concat`, which is null without rows. */
function listIn(text: unknown): readonly number[] {
  return typeof text === 'string' ? text.split(',').map(Number) : []
}
