import { type Database, prepareAll, type Statements } from '../file/driver.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import { noPlaces, type RemovedPlaces } from '../../../domain/removed-places.js'
import { numberIn, numbersIn, timestampIn, valuesIn } from '../file/row.js'

/**
 * `erased_entities` contains the entities that are erased, or whose erasure is recorded:
 * - `entity`: the number of the entity; null when the facts that were read contain no creation
 * - `position`: the position of the `EntityErased`; null until that fact is applied
 * - `memberships`: the number of segments that the entity left because of the erasure, according to the fact log
 * - `is_gone`: 0 while rows of the entity are being removed; 1 before and after that; 2 while its facts are kept
 *   for a backfill
 * - `removed`: a `RemovedFacts` as JSON, if the read model stores the facts itself
 *
 * `erased_clock` contains the clock floors that each erasure makes necessary (see `ClockFloors`): `at` is the
 * minimum log time at the fact with the id `fact`.
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
 * The approximate limit of rows in `erased_clock` for one entity. The limit exists because the size of an
 * append is limited. Beyond the limit, a rebuilt read model may compute another log time for some facts.
 */
const maxClockFloors = 8_000

/** The numbers of facts and idempotency keys that were removed for an entity so far. */
interface RemovedFacts {
  /** The number of removed facts by type. */
  readonly facts: Readonly<Record<string, number>>
  /** The number of removed idempotency keys. */
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

/** The entities that are erased or whose erasure is recorded, by entity id. */
export class ErasedEntities {
  private readonly statements: Statements<typeof sql>
  private readonly ids = new Set<string>()
  private readonly entities = new Set<number>()
  /**
   * The number of rows in `erased_clock` for the entity that is being removed. The number is cached, because it
   * is needed for each removed block of log entries.
   */
  private counted: { readonly entity: number; floors: number } | undefined
  /** True while the facts of at least one erased entity are kept for a backfill. */
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

  /**
   * Returns whether the entity is erased or its erasure is recorded. Published changes of such an entity are
   * not compared.
   */
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

  /** Adds an entity whose erasure is recorded. Returns false when the entity was added before. */
  add(entityId: string): boolean {
    if (this.ids.has(entityId)) return false
    this.ids.add(entityId)
    this.statements.add.run(entityId)
    return true
  }

  /** Adds clock floors that the erasure of an entity makes necessary. */
  addClock(entityId: string, added: readonly ClockFloor[]): void {
    for (const { fact, at } of added) this.statements.addClock.run(entityId, fact, epochMsOf(at))
    if (added.length > 0) this.counted = undefined
  }

  /** Returns whether the entity has fewer clock floors than the limit. */
  takesClock(entity: number): boolean {
    return this.countClock(entity).floors < maxClockFloors
  }

  /**
   * Adds clock floors like `addClock`, but takes the entity's number. Used while the facts of the entity are
   * removed.
   */
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

  /**
   * Returns the clock floors of all erasures: the minimum log time at a fact, in milliseconds since 1970, by fact
   * id.
   */
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

  /** Returns the numbers of facts and idempotency keys that were removed for an entity so far. */
  removedOf(entity: number): RemovedFacts {
    const [text] = valuesIn(this.statements.removed.get(entity) ?? [null])
    return typeof text === 'string' ? (JSON.parse(text) as RemovedFacts) : nothing
  }

  setRemoved(entity: number, removed: RemovedFacts): void {
    this.statements.setRemoved.run(JSON.stringify(removed), entity)
  }

  /**
   * Applies an `EntityErased`. `entity` is undefined when the facts that were read contain no creation of the
   * entity. If `awaits` is true, the facts are kept for a backfill.
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

  /**
   * Counts a segment that the entity left because of its erasure. Call it for each published change of this
   * kind.
   */
  left(entityId: string): void {
    this.statements.left.run(entityId)
  }

  /** Allows the removal of the facts that were kept for backfills. Call it when all backfills are complete. */
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

  /**
   * Returns whether an entity that existed at a position was erased at a higher position, or has a recorded
   * erasure.
   */
  wasAnybodyAt(position: number): boolean {
    if (this.isEmpty) return false
    return this.statements.there.get(position, position) !== undefined
  }

  /** Returns whether an erased entity may explain that the fact at this position is missing. */
  explains(position: number): boolean {
    if (this.isEmpty) return false
    const [count = 0] = numbersIn(this.statements.explains.get(position, position) ?? [])
    return count > 0
  }
}

/** The value of `is_gone` while the facts of an entity are kept for a backfill. */
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
  // Entities are removed in the order of their erasures, so that every read model computes the same clock floors.
  next: 'SELECT entity FROM erased_entities WHERE is_gone = 0 ORDER BY position LIMIT 1',
  gone: 'UPDATE erased_entities SET is_gone = 1 WHERE entity = ?',
  position: 'SELECT position FROM erased_entities WHERE entity = ?',
  there: `SELECT 1 FROM erased_entities
       WHERE (entity IS NULL OR entity <= ?) AND (position IS NULL OR position > ?) LIMIT 1`,
  explains: `SELECT count(*) FROM erased_entities
       WHERE position IS NOT NULL AND (entity IS NULL OR entity <= ?) AND position >= ?`,
}
