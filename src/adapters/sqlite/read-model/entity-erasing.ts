import { prepareAll, type Statements } from '../file/driver.js'
import { numbersIn, valuesIn } from '../file/row.js'
import type { Entry } from './entity-log/block.js'
import type { LoggedFact } from '../../../application/facts/ports/fact-log.js'
import type { ErasureAhead } from '../../../application/reading/ports/projections.js'
import type { Fact } from '../../../application/facts/fact-table.js'
import type { ClockFloor } from '../../../domain/erasures.js'
import { addPlaces } from '../../../domain/removed-places.js'
import { epochMsOf } from '../../../domain/timestamp.js'
import type { AppliedProjection, ErasedNow, PlacedFact } from './projection.js'
import type { EventRecount } from './dictionary/event-recount.js'
import type { ReadModelTables } from './read-model-tables.js'
import type { Slice } from './slice.js'
import type { BackfillQueue } from './segments/backfill/backfill-queue.js'
import type { SegmentProjection } from './segments/segment-projection.js'

/** The types of facts that erase an entity. */
const erasing: readonly string[] = ['EntityErased', 'ErasedFactsRemoved']

const rowsAtOnce = 200

/**
 * Erases entities. When `EntityErased` is applied, the entity disappears from all queries and segments at once.
 * Its log entries and facts, up to a million rows, are removed in slices between other work.
 */
export class EntityErasing {
  private readonly statements: Statements<typeof sql>
  private readonly own: Statements<typeof ownSql> | undefined
  /** True when no row of an erased entity is left to remove. */
  isIdle: boolean
  /**
   * The second creation in a stream that `until` has found. `position` is its position, and `former` is the number
   * of the entity that the creation erases. Undefined when `until` found none.
   */
  private next: { readonly position: number; readonly former: number } | undefined
  /** The clock floors of recorded erasures: the minimum log time at a fact, in milliseconds since 1970, by fact id. */
  private readonly floors = new Map<string, number>()

  /** `applied` lists the projections in the order in which they apply facts. */
  constructor(
    private readonly tables: ReadModelTables,
    private readonly segments: SegmentProjection,
    private readonly applied: readonly AppliedProjection[],
    private readonly recount: EventRecount,
  ) {
    const { db, erased, keepsFacts } = tables
    this.statements = prepareAll(db, sql)
    if (keepsFacts) this.own = prepareAll(db, ownSql)
    this.isIdle = erased.next() === undefined
  }

  /**
   * Erases an entity if the first fact requires it. Call this before other projections apply the facts. A fact
   * that erases an entity must be the only fact: see `until`.
   */
  apply([first]: readonly PlacedFact[]): void {
    if (first?.erases !== undefined) {
      const { fact, erases } = first
      this.tables.erased.addClock(erases, clockOf(fact))
      if (fact.type !== 'ErasedFactsRemoved') this.erase(erases, first)
      else this.erase(erases, undefined, Number(fact.data.closedAt.position))
    }
    const lost = first && this.lostBy(first.logged)
    if (lost !== undefined) this.erase(lost, undefined)
    this.eraseFormer(first?.logged)
  }

  private eraseFormer(creation: LoggedFact | undefined): void {
    if (creation === undefined || this.next?.position !== creation.position) return
    for (const projection of this.applied) projection.write()
    const former = this.idOf(this.next.former)
    if (former !== undefined) this.erase(former, undefined, creation.position)
  }

  /**
   * Returns the facts before the next erasure, or only the erasure if it is the first fact. When an erasure is
   * applied, all projections must have applied all earlier facts. A second creation in a stream also counts as an
   * erasure, because the store may remove `EntityErased` before this read model reads it.
   */
  until(facts: readonly LoggedFact[]): readonly LoggedFact[] {
    if (this.next?.position !== facts[0]?.position) this.next = undefined
    const created = new Set<string>()
    const at = facts.findIndex(
      (fact) =>
        erasing.includes(fact.type) ||
        this.lostBy(fact) !== undefined ||
        this.isAnother(fact, created),
    )
    return at < 0 ? facts : facts.slice(0, Math.max(1, at))
  }

  /**
   * Returns whether the fact creates a second entity in an existing stream. `created` collects the streams that
   * begin on this page. In an SQLite store, each stream has only one creation.
   */
  private isAnother({ type, stream, position }: LoggedFact, created: Set<string>): boolean {
    const { streams } = this.tables
    if (streams === undefined || type !== 'EntityCreated') return false
    const former = streams.startOf(stream)
    if (former === undefined || former === position) {
      const isSecond = created.has(stream)
      created.add(stream)
      return isSecond
    }
    this.next ??= { position, former }
    return true
  }

  private idOf(entity: number): string | undefined {
    const row = this.statements.entityId.get(entity)
    return row === undefined ? undefined : String(valuesIn(row)[0])
  }

  /**
   * Returns the id of the entity of a redacted placeholder, if the read model still stores the entity. The read
   * model stores such an entity only when the commit of its erasure was lost.
   */
  private lostBy({ type, streamStart }: LoggedFact): string | undefined {
    return type === 'FactErased' && streamStart !== undefined ? this.idOf(streamStart) : undefined
  }

  /**
   * Prepares for erasures that the store reports before this read model has read them from the fact log. If the
   * store has already removed facts of an entity, erases the entity at once, because a replay of the remaining
   * facts would give wrong results.
   */
  foresee(erasures: readonly ErasureAhead[]): void {
    const { erased } = this.tables
    for (const { entityId, removedUpTo, clock } of erasures) {
      this.segments.foresee(entityId)
      erased.addClock(entityId, clock)
      for (const { fact, at } of clock) {
        this.floors.set(fact, Math.max(epochMsOf(at), this.floors.get(fact) ?? 0))
      }
      if (removedUpTo !== undefined) this.erase(entityId, undefined, removedUpTo)
    }
  }

  logTimeAt(id: string, logTime: number): number {
    const floor = this.floors.size === 0 ? undefined : this.floors.get(id)
    return floor === undefined ? logTime : Math.max(logTime, floor)
  }

  /**
   * Returns the id of the entity that the fact at a position is about. Returns undefined when the read model
   * does not store the facts, or when the entity is not stored.
   */
  entityAt(position: number): string | undefined {
    const { keepsFacts, facts } = this.tables
    const start = keepsFacts ? facts.find(position)?.streamStart : undefined
    return start === undefined ? undefined : this.idOf(start)
  }

  /**
   * Erases an entity. `by` is the `EntityErased`, or undefined when the store has already removed the facts. In
   * that case, no membership changes are published.
   */
  private erase(
    entityId: string,
    by: PlacedFact | undefined,
    position = by?.logged.position,
  ): void {
    const { segments, applied } = this
    const { erased } = this.tables
    segments.foresee(entityId)
    for (const projection of applied) projection.write()
    const found = this.statements.find.get(entityId)
    const before = erased.get(entityId)
    if (found === undefined) {
      if (before?.position === undefined) erased.erase(entityId, before?.entity, position)
      return
    }
    // Erases the stored entity even if `foresee` recorded the erasure earlier, while the store still had the facts.
    const [entity, name] = valuesIn(found)
    const one = { entity: Number(entity), entityId, externalId: String(name), by }
    this.eraseFound(one, position, before?.position !== undefined)
  }

  private eraseFound(one: ErasedNow, position: number | undefined, isForeseen: boolean): void {
    const { segments, applied } = this
    const { erased, logs } = this.tables
    const { entity, entityId, by } = one
    logs.pending.writeOf(entity)
    const awaits = by !== undefined && !isForeseen && segments.isBehind
    for (const projection of applied.toReversed()) projection.forget(one)
    erased.erase(entityId, entity, position, awaits)
    this.isIdle &&= awaits
  }

  /** Allows the removal of facts that were kept for a backfill, once all backfills are complete. */
  releaseAwaited(): void {
    const { erased } = this.tables
    if (!erased.isAwaited || this.segments.isBehind) return
    erased.builtForAll()
    this.isIdle = false
  }

  /** Removes rows of erased entities. `head` is the position of the last applied fact. */
  step(head: number, slice: Slice): void {
    do {
      const entity = this.tables.erased.next()
      this.isIdle = entity === undefined
      if (entity === undefined) return
      if (!this.removeSome(entity, head)) this.tables.erased.gone(entity)
    } while (!slice.endsHere())
  }

  private removeSome(entity: number, head: number): boolean {
    return (
      this.removeEntries(entity, head) ||
      this.removeKeys(entity) ||
      this.removeStragglers(entity) ||
      this.tables.logs.voids.removeSome(entity, rowsAtOnce)
    )
  }

  private removeEntries(entity: number, head: number): boolean {
    const entries = this.tables.logs.removeLast(entity)
    if (entries === undefined) return false
    const positions = entries.map(({ position }) => position)
    this.recount.subtract(entity, entries, head)
    if (this.own !== undefined) {
      this.noteClock(entity, entries)
      this.removeOwn(entity, positions, this.own)
    } else for (const one of entries) this.statements.otherFact.run(one.position, one.logTime)
    return true
  }

  private noteClock(entity: number, entries: readonly Entry[]): void {
    const { erased, clockFloors } = this.tables
    if (clockFloors === undefined || !erased.takesClock(entity)) return
    erased.addClockOf(entity, clockFloors.of(entity, entries))
  }

  /** Removes facts that the read model stores itself, and counts them. */
  private removeOwn(
    entity: number,
    positions: readonly number[],
    { types, facts }: Statements<typeof ownSql>,
  ): void {
    const { erased } = this.tables
    const all = JSON.stringify(positions)
    const removed = erased.removedOf(entity)
    const counted = { ...removed.facts }
    for (const row of types.all(all)) {
      const [type, count] = valuesIn(row)
      counted[String(type)] = (counted[String(type)] ?? 0) + Number(count)
    }
    const places = addPlaces(removed.places, positions)
    erased.setRemoved(entity, { ...removed, facts: counted, places })
    facts.run(all)
  }

  private removeKeys(entity: number): boolean {
    const count = this.own?.keys.all(entity, entity, rowsAtOnce).length ?? 0
    if (count === 0) return false
    const removed = this.tables.erased.removedOf(entity)
    this.tables.erased.setRemoved(entity, { ...removed, keys: removed.keys + count })
    return true
  }

  private removeStragglers(entity: number): boolean {
    const { stragglers, removeStraggler, lateChanges, removeLateChange } = this.statements
    const events = stragglers.all(entity, rowsAtOnce).map(numbersIn)
    for (const [at = 0, position = 0] of events) removeStraggler.run(entity, at, position)
    const changes = lateChanges.all(entity, rowsAtOnce).map(numbersIn)
    for (const [at = 0, position = 0] of changes) removeLateChange.run(entity, at, position)
    return events.length + changes.length > 0
  }
}

/**
 * Runs long work between facts and requests: first the removal of erased entities, then backfills, and finally
 * the recount of events. The facts of an erased entity that a backfill needs are removed after the backfill.
 */
export class LongWork {
  constructor(
    private readonly erasing: EntityErasing,
    private readonly backfills: BackfillQueue,
    private readonly recount: EventRecount,
  ) {}

  get isIdle(): boolean {
    return this.erasing.isIdle && this.backfills.isIdle && this.recount.isIdle
  }

  step(head: number, logTime: number, slice: Slice): void {
    if (!this.erasing.isIdle) {
      this.erasing.step(head, slice)
      return
    }
    if (this.backfills.isIdle) this.recount.step(slice)
    else this.backfills.step(head, logTime, slice)
    this.erasing.releaseAwaited()
  }
}

function clockOf(fact: Fact | undefined): readonly ClockFloor[] {
  const hasClock = fact?.type === 'EntityErased' || fact?.type === 'ErasedFactsRemoved'
  return (hasClock ? fact.data.clock : undefined) ?? []
}

const sql = {
  find: 'SELECT entity, external_id FROM entities WHERE entity_id = ?',
  entityId: 'SELECT entity_id FROM entities WHERE entity = ?',
  // Stores null, because a redacted placeholder names no entity.
  otherFact: 'INSERT OR IGNORE INTO other_facts VALUES (?, ?, NULL)',
  stragglers: 'SELECT occurred_at, position FROM stragglers WHERE entity = ? LIMIT ?',
  removeStraggler: 'DELETE FROM stragglers WHERE entity = ? AND occurred_at = ? AND position = ?',
  lateChanges: 'SELECT occurred_at, position FROM late_changes WHERE entity = ? LIMIT ?',
  removeLateChange:
    'DELETE FROM late_changes WHERE entity = ? AND occurred_at = ? AND position = ?',
}

/** Statements for facts that the read model stores itself. */
const ownSql = {
  types: `SELECT type, count(*) FROM facts WHERE position IN (SELECT value FROM json_each(?))
          GROUP BY type`,
  facts: 'DELETE FROM facts WHERE position IN (SELECT value FROM json_each(?))',
  keys: `DELETE FROM keys WHERE stream_id = ? AND key IN (
           SELECT key FROM keys WHERE stream_id = ? LIMIT ?) RETURNING 1`,
}
