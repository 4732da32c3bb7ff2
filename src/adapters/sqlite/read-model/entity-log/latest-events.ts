import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { valuesIn } from '../../file/row.js'
import { latestColumn, latestIn } from './log-blocks.js'

/** When the map has more than `tooMany` entities, only the latest `kept` entities stay in it. */
const kept = 2_000
const tooMany = 16_000
const rowsAtOnce = 500

/**
 * The entities with the latest events. Reads all entity logs once, for the first query, and then follows new events
 * in memory. A process that gets no such query does no work.
 *
 * The map contains every entity whose latest event is after `floor`. The latest event of every other entity is at
 * `floor` or earlier.
 */
export class LatestEvents {
  private readonly latest = new Map<number, number>()
  private floor = -Infinity
  private isFollowing = false
  /** The entity up to which the logs are read. Undefined when all logs are read. */
  private readTo: number | undefined = 0
  private readonly rows: Statement

  constructor(db: Database) {
    this.rows = prepareRows(
      db,
      `SELECT max(entity), group_concat(entity), ${latestColumn}
       FROM (SELECT entity, log FROM entity_logs WHERE entity > ? ORDER BY entity LIMIT ?)`,
    )
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
    if (this.readTo !== undefined) yield* this.readAll()
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
   * Continues to read the logs, or starts again when all logs are read. Queries that run at the same time share the
   * progress. After a cancelled query, the next query continues at the same log.
   */
  private *readAll(): InPieces<void> {
    if (this.readTo === undefined) {
      this.latest.clear()
      this.floor = -Infinity
      this.readTo = 0
    }
    this.isFollowing = true
    while (this.readTo !== undefined) {
      const [lastRead, ids, logs] = valuesIn(this.rows.get(this.readTo, rowsAtOnce))
      const entities = lastRead === null ? [] : String(ids).split(',')
      const instants = lastRead === null ? [] : latestIn(String(logs))
      for (const [index, latestAt] of instants.entries()) {
        this.add(Number(entities[index]), latestAt)
      }
      this.readTo = entities.length < rowsAtOnce ? undefined : Number(lastRead)
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
