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
import type { ReadModelTables } from './read-model-tables.js'
import type { Slice } from './queries/slice.js'
import type { BackfillQueue } from './segments/backfill/backfill-queue.js'
import type { SegmentProjection } from './segments/segment-projection.js'

/** Facts that a person may be erased by. */
const erasing: readonly string[] = ['EntityErased', 'ErasedFactsRemoved']

const rowsAtOnce = 200

/**
 * Erases entities. With its `EntityErased` an entity is found by nobody, and has left its segments; what
 * there may be a million rows of is removed by and by, beside other work.
 */
export class EntityErasing {
  private readonly statements: Statements<typeof sql>
  private readonly own: Statements<typeof ownSql> | undefined
  /** Nothing is left to be removed. */
  isIdle: boolean
  /** The creation that comes next, of an entity whose name another one has here; and where that one begins. */
  private next: { readonly position: number; readonly former: number } | undefined
  /** Instants that log time had reached at facts, by their ids. */
  private readonly floors = new Map<string, number>()

  /** `applied`: in the order in which they are applied. */
  constructor(
    private readonly tables: ReadModelTables,
    private readonly segments: SegmentProjection,
    private readonly applied: readonly AppliedProjection[],
  ) {
    const { db, erased, keepsFacts } = tables
    this.statements = prepareAll(db, sql)
    if (keepsFacts) this.own = prepareAll(db, ownSql)
    this.isIdle = erased.next() === undefined
  }

  /** To be called before the facts are applied otherwise; an erasure comes alone. */
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
   * What comes before an erasure, or that alone: all parts of the read model are to be at the same fact then. Another
   * creation in a stream is an erasure, too: the store has removed the `EntityErased` before it was read.
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

  /** `created`: streams that begin in the same page. A stream of SQLite begins with its only creation. */
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

  /** Whose removed fact it is, where what was committed of the erasure was lost. */
  private lostBy({ type, streamStart }: LoggedFact): string | undefined {
    return type === 'FactErased' && streamStart !== undefined ? this.idOf(streamStart) : undefined
  }

  /**
   * What the store knows of erasures. What is removed is gone here too, though its `EntityErased` is still to
   * come: what would follow from a part of its facts is wrong.
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

  /** The id of the entity that the fact at a position is about, if it is stored here. */
  entityAt(position: number): string | undefined {
    const { keepsFacts, facts } = this.tables
    const start = keepsFacts ? facts.find(position)?.streamStart : undefined
    return start === undefined ? undefined : this.idOf(start)
  }

  /** `by`: its `EntityErased`; undefined: its facts are gone already, and nothing follows from them. */
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
    // Also where its removal was foreseen, and the store still had its facts.
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
    segments.leaveAll(entity, by)
    for (const projection of applied) projection.erase(one)
    erased.erase(entityId, entity, position, awaits)
    this.isIdle &&= awaits
  }

  /** Whose facts were left until the segments are built is removed once they are. */
  goOn(): void {
    const { erased } = this.tables
    if (!erased.isAwaited || this.segments.isBehind) return
    erased.builtForAll()
    this.isIdle = false
  }

  step(slice: Slice): void {
    do {
      const entity = this.tables.erased.next()
      this.isIdle = entity === undefined
      if (entity === undefined) return
      if (!this.removeSome(entity)) this.tables.erased.gone(entity)
    } while (!slice.endsHere())
  }

  private removeSome(entity: number): boolean {
    return this.removeEntries(entity) || this.removeKeys(entity) || this.removeStragglers(entity)
  }

  private removeEntries(entity: number): boolean {
    const entries = this.tables.logs.removeLast(entity)
    if (entries === undefined) return false
    const positions = entries.map(({ position }) => position)
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

  /** They are counted: the store itself has nobody who could. */
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
    const { stragglers, removeStraggler } = this.statements
    const late = stragglers.all(entity, rowsAtOnce).map(numbersIn)
    for (const [at = 0, position = 0] of late) removeStraggler.run(entity, at, position)
    return late.length > 0
  }
}

/**
 * What goes on beside facts and requests. Erased entities come before what is built, but for those whose
 * facts say what they leave of it.
 */
export class LongWork {
  constructor(
    private readonly erasing: EntityErasing,
    private readonly backfills: BackfillQueue,
  ) {}

  get isIdle(): boolean {
    return this.erasing.isIdle && this.backfills.isIdle
  }

  step(head: number, logTime: number, slice: Slice): void {
    if (!this.erasing.isIdle) {
      this.erasing.step(slice)
      return
    }
    this.backfills.step(head, logTime, slice)
    this.erasing.goOn()
  }
}

function clockOf(fact: Fact | undefined): readonly ClockFloor[] {
  const hasClock = fact?.type === 'EntityErased' || fact?.type === 'ErasedFactsRemoved'
  return (hasClock ? fact.data.clock : undefined) ?? []
}

const sql = {
  find: 'SELECT entity, external_id FROM entities WHERE entity_id = ?',
  entityId: 'SELECT entity_id FROM entities WHERE entity = ?',
  // A stub in its place is about no entity.
  otherFact: 'INSERT OR IGNORE INTO other_facts VALUES (?, ?, NULL)',
  stragglers: 'SELECT occurred_at, position FROM stragglers WHERE entity = ? LIMIT ?',
  removeStraggler: 'DELETE FROM stragglers WHERE entity = ? AND occurred_at = ? AND position = ?',
}

/** Where the facts are stored in the read model. */
const ownSql = {
  types: `SELECT type, count(*) FROM facts WHERE position IN (SELECT value FROM json_each(?))
          GROUP BY type`,
  facts: 'DELETE FROM facts WHERE position IN (SELECT value FROM json_each(?))',
  keys: `DELETE FROM keys WHERE stream_id = ? AND key IN (
           SELECT key FROM keys WHERE stream_id = ? LIMIT ?) RETURNING 1`,
}
