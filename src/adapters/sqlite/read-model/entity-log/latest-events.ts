import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { bytesIn, valuesIn } from '../../file/row.js'
import { countsColumn, logHeadIn } from './log-blocks.js'

/** The number of entities that are kept when there are too many, and the number that is too many. */
const kept = 2_000
const tooMany = 16_000
const rowsAtOnce = 500

/**
 * The entities with the latest events. Reads all entity logs once, for the first query, and then follows new
 * events in memory. A process that gets no such query does no work.
 *
 * Every entity whose latest event is after `floor` is in the map, so the latest entities of the map are the
 * latest of all.
 */
export class LatestEvents {
  private readonly latest = new Map<number, number>()
  private floor = -Infinity
  private isFollowing = false
  private isRead = false
  private readonly rows: Statement

  constructor(db: Database) {
    this.rows = prepareRows(
      db,
      `SELECT entity, ${countsColumn} FROM entity_logs WHERE entity > ? ORDER BY entity LIMIT ?`,
    )
  }

  /** Notes the latest time of occurrence of an entity's events. Call it when it may have become later. */
  add(entity: number, latestAt: number): void {
    if (!this.isFollowing || latestAt <= this.floor) return
    const before = this.latest.get(entity)
    if (before !== undefined && before >= latestAt) return
    this.latest.set(entity, latestAt)
    if (this.latest.size > tooMany) this.dropEarliest()
  }

  /**
   * Returns the entities with the latest events, the latest first: at least `count` of those for which `exists`
   * returns true, if there are so many. The pending log entries must be written.
   */
  *atLeast(
    count: number,
    exists: (entity: number) => boolean,
  ): InPieces<readonly (readonly [entity: number, at: number])[]> {
    for (const entity of [...this.latest.keys()]) {
      if (!exists(entity)) this.latest.delete(entity)
    }
    if (!this.isRead || (this.latest.size < count && this.floor > -Infinity)) yield* this.readAll()
    return [...this.latest].sort(
      ([leftId, left], [rightId, right]) => right - left || rightId - leftId,
    )
  }

  private *readAll(): InPieces<void> {
    this.latest.clear()
    this.floor = -Infinity
    this.isFollowing = true
    this.isRead = false
    for (let last = 0; ;) {
      const rows = this.rows.all(last, rowsAtOnce).map(valuesIn)
      for (const [entity, log] of rows) {
        last = Number(entity)
        const { eventCount, latestAt } = logHeadIn(bytesIn(log))
        if (eventCount > 0) this.add(last, latestAt)
      }
      if (rows.length < rowsAtOnce) break
      yield
    }
    this.isRead = true
  }

  private dropEarliest(): void {
    const instants = Float64Array.from(this.latest.values()).sort()
    this.floor = instants[instants.length - kept - 1] ?? this.floor
    for (const [entity, at] of this.latest) if (at <= this.floor) this.latest.delete(entity)
  }
}
