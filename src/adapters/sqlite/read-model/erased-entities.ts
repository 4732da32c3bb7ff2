import { type Database, prepareAll, type Statements } from '../file/driver.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import { noPlaces, type RemovedPlaces } from '../../../domain/removed-places.js'
import { numberIn, numbersIn, timestampIn, valuesIn } from '../file/row.js'

/**
 * `erased_entities` has the entities that are erased or will be erased:
 * - `entity`: the entity's number; null when the log that was read has no creation
 * - `position`: of the `EntityErased`; null until it is applied
 * - `memberships`: the number of segments that the entity left by the erasure, according to the log
 * - `is_gone`: 1 when nothing of the entity is left; 2 while its facts are kept for a backfill
 * - `removed`: a `RemovedFacts` as JSON, when the facts are stored in the read model
 *
 * `erased_clock` has the log time at facts of other entities that came from facts of the erased entity.
 */
export const erasedTables = `
  CREATE TABLE erased_entities (
    entity_id TEXT PRIMARY KEY,
    entity INTEGER UNIQUE,
    position INTEGER,
    memberships INTEGER NOT NULL,
    is_gone INTEGER NOT NULL,
    removed TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE erased_clock (
    entity_id TEXT NOT NULL,
    fact TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (entity_id, fact)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX left_of_erased ON erased_entities (is_gone) WHERE is_gone = 0;`

/**
 * The approximate limit of facts in one entity's `erased_clock`, because an append is limited. Beyond the limit, a
 * rebuilt read model may compute another log time for earlier facts.
 */
const maxClockFloors = 8_000

/** The number of facts and keys removed for an entity so far. */
interface RemovedFacts {
  /** By type. */
  readonly facts: Readonly<Record<string, number>>
  /** Idempotency keys. */
  readonly keys: number
  readonly places: RemovedPlaces
}

const nothing: RemovedFacts = { facts: {}, keys: 0, places: noPlaces }

interface ErasedRow {
  readonly entity: number | undefined
  readonly position: number | undefined
  readonly memberships: number
  readonly isGone: boolean
}

/** The entities that are erased or have a recorded erasure, by the ids of their creation facts. */
export class ErasedEntities {
  private readonly statements: Statements<typeof sql>
  private readonly ids = new Set<string>()
  private readonly entities = new Set<number>()
  /** The number of floors of the entity that is being removed, cached because each block asks. */
  private counted: { readonly entity: number; floors: number } | undefined
  /** True while facts of some erased entity are kept for a backfill. */
  isAwaited: boolean
  /** True while the WAL may contain removed rows, perhaps from an earlier process. */
  mustEmptyLog: boolean

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
    for (const row of this.statements.all.all()) {
      const [entityId, entity] = valuesIn(row)
      this.ids.add(String(entityId))
      if (entity !== null) this.entities.add(Number(entity))
    }
    this.mustEmptyLog = !this.isEmpty
    this.isAwaited = this.statements.awaited.get() !== undefined
  }

  /** Whether the entity is erased or will be. Published changes of such an entity are not compared. */
  has(entityId: string): boolean {
    return this.ids.has(entityId)
  }

  get count(): number {
    return this.ids.size
  }

  get isEmpty(): boolean {
    return this.ids.size === 0
  }

  get(entityId: string): ErasedRow | undefined {
    const row = this.ids.has(entityId) ? this.statements.find.get(entityId) : undefined
    if (row === undefined) return undefined
    const [entity, position, memberships, isGone] = valuesIn(row)
    return {
      entity: entity === null ? undefined : Number(entity),
      position: position === null ? undefined : Number(position),
      memberships: Number(memberships),
      isGone: isGone === 1 && !this.mustEmptyLog,
    }
  }

  /** Adds an entity with a recorded erasure. Returns false when it is known already. */
  add(entityId: string): boolean {
    if (this.ids.has(entityId)) return false
    this.ids.add(entityId)
    this.statements.add.run(entityId)
    return true
  }

  /** Adds facts of other entities whose log time came from the entity's facts. */
  addClock(entityId: string, added: readonly ClockFloor[]): void {
    for (const { fact, at } of added) this.statements.addClock.run(entityId, fact, epochMsOf(at))
    if (added.length > 0) this.counted = undefined
  }

  /** Whether `addClockOf` may add more. */
  takesClock(entity: number): boolean {
    return this.countClock(entity).floors < maxClockFloors
  }

  /** Like `addClock`, for facts that are found while the entity is removed. */
  addClockOf(entity: number, added: readonly ClockFloor[]): void {
    const counted = this.countClock(entity)
    for (const { fact, at } of added) this.statements.addClockOf.run(fact, epochMsOf(at), entity)
    counted.floors += added.length
  }

  private countClock(entity: number): { floors: number } {
    if (this.counted?.entity !== entity) {
      this.counted = { entity, floors: numberIn(this.statements.countClock.get(entity)) ?? 0 }
    }
    return this.counted
  }

  /** Log time by the id of a fact, in milliseconds since 1970, as recorded by erasures of other entities. */
  clockFloors(): ReadonlyMap<string, number> {
    return new Map(
      this.statements.clocks.all().map((row) => {
        const [fact, at] = valuesIn(row)
        return [String(fact), Number(at)]
      }),
    )
  }

  clockOf(entityId: string): readonly ClockFloor[] {
    return this.statements.clock.all(entityId).map((row) => {
      const [fact, at] = valuesIn(row)
      return { fact: String(fact), at: timestampIn(Number(at)) }
    })
  }

  /** The counts of an entity so far. */
  removedOf(entity: number): RemovedFacts {
    const [text] = valuesIn(this.statements.removed.get(entity) ?? [null])
    return typeof text === 'string' ? (JSON.parse(text) as RemovedFacts) : nothing
  }

  setRemoved(entity: number, removed: RemovedFacts): void {
    this.statements.setRemoved.run(JSON.stringify(removed), entity)
  }

  /**
   * Applies an `EntityErased`. `entity` is undefined when the log that was read has no creation. `awaits` keeps the
   * facts for a backfill.
   */
  erase(
    entityId: string,
    entity: number | undefined,
    position: number | undefined,
    awaits = false,
  ): void {
    this.add(entityId)
    if (entity !== undefined) this.entities.add(entity)
    this.isAwaited ||= awaits
    const isGone = awaits ? awaited : Number(entity === undefined)
    this.statements.erase.run(entity ?? null, position ?? null, isGone, entityId)
  }

  /** Counts a published leaving of the erased entity. */
  left(entityId: string): void {
    this.statements.left.run(entityId)
  }

  /** Call when all backfills have finished: kept facts may be removed. */
  builtForAll(): void {
    this.statements.builtForAll.run()
    this.isAwaited = false
  }

  next(): number | undefined {
    return numberIn(this.statements.next.get())
  }

  gone(entity: number): void {
    this.statements.gone.run(entity)
    this.mustEmptyLog = true
  }

  hasEntity(entity: number): boolean {
    return this.entities.has(entity)
  }

  positionOf(entity: number): number | undefined {
    return numberIn(this.statements.position.get(entity))
  }

  /** Whether an entity that existed at a position was erased after it, or will be. */
  wasAnybodyAt(position: number): boolean {
    if (this.isEmpty) return false
    return this.statements.there.get(position, position) !== undefined
  }

  /** Whether a fact missing at this position may have belonged to an erased entity. */
  explains(position: number): boolean {
    if (this.isEmpty) return false
    const [count = 0] = numbersIn(this.statements.explains.get(position, position) ?? [])
    return count > 0
  }
}

/** The value of `is_gone` while facts are kept for a backfill. */
export const awaited = 2

const sql = {
  all: 'SELECT entity_id, entity FROM erased_entities',
  find: 'SELECT entity, position, memberships, is_gone FROM erased_entities WHERE entity_id = ?',
  add: 'INSERT INTO erased_entities VALUES (?, NULL, NULL, 0, 1, NULL)',
  addClock: `INSERT INTO erased_clock VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
  addClockOf: `INSERT INTO erased_clock SELECT entity_id, ?, ? FROM erased_entities WHERE entity = ?
       ON CONFLICT DO UPDATE SET at = max(at, excluded.at)`,
  countClock: `SELECT count(*) FROM erased_clock
       WHERE entity_id = (SELECT entity_id FROM erased_entities WHERE entity = ?)`,
  clocks: 'SELECT fact, max(at) FROM erased_clock GROUP BY fact',
  clock: 'SELECT fact, at FROM erased_clock WHERE entity_id = ?',
  removed: 'SELECT removed FROM erased_entities WHERE entity = ?',
  setRemoved: 'UPDATE erased_entities SET removed = ? WHERE entity = ?',
  erase: `UPDATE erased_entities SET entity = coalesce(?, entity), position = coalesce(?, position),
         is_gone = ?
       WHERE entity_id = ?`,
  left: 'UPDATE erased_entities SET memberships = memberships + 1 WHERE entity_id = ?',
  awaited: `SELECT 1 FROM erased_entities WHERE is_gone = ${String(awaited)} LIMIT 1`,
  builtForAll: `UPDATE erased_entities SET is_gone = 0 WHERE is_gone = ${String(awaited)}`,
  // In this order, every read model finds the same facts for `erased_clock`.
  next: 'SELECT entity FROM erased_entities WHERE is_gone = 0 ORDER BY position LIMIT 1',
  gone: 'UPDATE erased_entities SET is_gone = 1 WHERE entity = ?',
  position: 'SELECT position FROM erased_entities WHERE entity = ?',
  there: `SELECT 1 FROM erased_entities
       WHERE (entity IS NULL OR entity <= ?) AND (position IS NULL OR position > ?) LIMIT 1`,
  explains: `SELECT count(*) FROM erased_entities
       WHERE position IS NOT NULL AND (entity IS NULL OR entity <= ?) AND position >= ?`,
}
