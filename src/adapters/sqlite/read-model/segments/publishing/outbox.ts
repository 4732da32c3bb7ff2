import {
  causeIn,
  isAfter,
  isSameChange,
  type ChangeBound,
  type ChangePlace,
  type PublishedChange,
} from './published-change.js'
import { BufferedInsert } from '../../../file/buffered-insert.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../../file/row.js'

/** An unpublished membership change, with the number of its entity. */
export interface OutboxRow extends PublishedChange, ChangePlace {
  readonly entity: number
}

const rowsAtOnce = 200
const endOfTime: ChangeBound = { logTime: Number.MAX_SAFE_INTEGER, position: 0 }

/** The unpublished membership changes of one rule version. */
interface Waiting {
  /** The number of these changes in the table `outbox`. */
  stored: number
  /** The first changes in the table, cached because many changes are published together. */
  firsts: OutboxRow[]
  /** The changes that are not in the table yet. */
  added: OutboxRow[]
  /** True when `added` is sorted by instant, position and entity. */
  isSorted: boolean
}

function nothingWaits(): Waiting {
  return { stored: 0, firsts: [], added: [], isSorted: true }
}

/** Sorts the changes that are not in the table yet, and returns them. */
function addedOf(waiting: Waiting): readonly OutboxRow[] {
  if (!waiting.isSorted) waiting.added.sort(byPlace)
  waiting.isSorted = true
  return waiting.added
}

/**
 * The membership changes that are derived and not published yet, by the number of their `Generation`. New
 * changes stay in memory until the read model commits. Most of them are published before that and never need to
 * be written.
 */
export class Outbox {
  private readonly statements: Statements<typeof sql>
  private readonly rows: BufferedInsert
  private readonly bySegment = new Map<number, Waiting>()

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
    this.rows = new BufferedInsert(db, 'outbox')
    for (const row of this.statements.counts.all()) {
      const [segment = 0, stored = 0] = numbersIn(row)
      this.bySegment.set(segment, { ...nothingWaits(), stored })
    }
  }

  count(segment: number): number {
    const waiting = this.bySegment.get(segment)
    return waiting === undefined ? 0 : waiting.stored + waiting.added.length
  }

  first(segment: number): OutboxRow | undefined {
    return this.upTo(segment, undefined, 1)[0]
  }

  /**
   * Returns at most `most` unpublished changes, sorted by instant, position and entity. If `until` is given, omits
   * changes after this fact.
   */
  upTo(segment: number, until: ChangeBound | undefined, most: number): readonly OutboxRow[] {
    const waiting = this.bySegment.get(segment)
    if (waiting === undefined) return []
    const stored = this.storedOf(segment, waiting, most)
    const added = addedOf(waiting).slice(0, most)
    const rows =
      stored.length === 0
        ? added
        : [...stored.slice(0, most), ...added].sort(byPlace).slice(0, most)
    return until === undefined ? rows : rows.filter((row) => !isAfter(row, until))
  }

  /** Returns the first changes in the table: at least `count`, or all when the table has fewer. */
  private storedOf(segment: number, waiting: Waiting, count: number): readonly OutboxRow[] {
    const { stored, firsts } = waiting
    if (firsts.length >= Math.min(count, stored)) return firsts
    waiting.firsts = this.statements.page.all(segment, Math.max(count, rowsAtOnce)).map(rowIn)
    return waiting.firsts
  }

  add(segment: number, row: OutboxRow): void {
    const waiting = this.bySegment.get(segment) ?? nothingWaits()
    this.bySegment.set(segment, waiting)
    const last = waiting.added.at(-1)
    // A backfill adds changes entity by entity, so a new change may be earlier than the previous change.
    waiting.isSorted &&= last === undefined || byPlace(last, row) < 0
    waiting.added.push(row)
  }

  remove(segment: number, row: OutboxRow): void {
    const waiting = this.bySegment.get(segment)
    if (waiting === undefined) return
    const at = waiting.added.indexOf(row)
    if (at >= 0) {
      waiting.added.splice(at, 1)
    } else {
      this.statements.remove.run(segment, row.at, row.position, row.entity)
      waiting.stored -= 1
      if (waiting.firsts[0] === row) waiting.firsts.shift()
      else waiting.firsts = []
    }
    this.forgetIfEmpty(segment)
  }

  /** Returns the outbox row of a change, or undefined when the change is not in the outbox. */
  find(segment: number, change: PublishedChange): OutboxRow | undefined {
    const waiting = this.bySegment.get(segment)
    if (waiting === undefined) return undefined
    const isSame = (row: OutboxRow) => isSameChange(row, change)
    const added = waiting.added.find(isSame)
    if (added !== undefined || waiting.stored === 0) return added
    const { timed, caused } = this.statements
    const { at, entityId, cause } = change
    const statement = cause.factId === undefined ? timed : caused
    return statement.all(segment, at, entityId).map(rowIn).find(isSame)
  }

  /**
   * Returns the number of unpublished changes of an entity. `untils` maps the number of a `Generation` to a fact.
   * Changes after this fact are not counted.
   */
  countOf(entity: number, untils: ReadonlyMap<number, ChangeBound>): number {
    let count = 0
    for (const [segment, waiting] of this.bySegment) {
      const until = untils.get(segment) ?? endOfTime
      count += waiting.added.filter((row) => row.entity === entity && !isAfter(row, until)).length
      if (waiting.stored > 0) {
        const { logTime, position } = until
        count += numberIn(this.statements.countOf.get(segment, entity, logTime, position)) ?? 0
      }
    }
    return count
  }

  removeOf(entity: number): void {
    for (const [segment, waiting] of this.bySegment) {
      waiting.added = waiting.added.filter((row) => row.entity !== entity)
      if (waiting.stored > 0) {
        this.statements.removeOf.run(segment, entity)
        this.countStored(segment, waiting)
      }
      this.forgetIfEmpty(segment)
    }
  }

  private countStored(segment: number, waiting: Waiting): void {
    const [stored = 0] = numbersIn(this.statements.count.get(segment))
    waiting.stored = stored
    waiting.firsts = []
  }

  removeUntil(segment: number, until: ChangeBound): void {
    const waiting = this.bySegment.get(segment)
    if (waiting === undefined) return
    waiting.added = waiting.added.filter((row) => isAfter(row, until))
    if (waiting.stored > 0) {
      this.statements.removeUntil.run(segment, until.logTime, until.position)
      this.countStored(segment, waiting)
    }
    this.forgetIfEmpty(segment)
  }

  removeOthers(segments: ReadonlySet<number>): void {
    for (const [segment, { stored }] of this.bySegment) {
      if (segments.has(segment)) continue
      if (stored > 0) this.statements.removeAll.run(segment)
      this.bySegment.delete(segment)
    }
  }

  private forgetIfEmpty(segment: number): void {
    if (this.count(segment) === 0) this.bySegment.delete(segment)
  }

  write(): void {
    for (const [segment, waiting] of this.bySegment) {
      const added = addedOf(waiting)
      for (const { at, position, entity, enters, cause } of added) {
        const { kind, factId = null } = cause
        this.rows.add(segment, at, position, entity, Number(enters), kind, factId)
      }
      const [first] = added
      const last = waiting.firsts.at(-1)
      // Empties the cache if a new row belongs between the cached rows. Otherwise the cache stays valid.
      if (first !== undefined && last !== undefined && byPlace(first, last) < 0) waiting.firsts = []
      waiting.stored += added.length
      waiting.added = []
    }
    this.rows.write()
  }
}

function byPlace(left: OutboxRow, right: OutboxRow): number {
  return left.at - right.at || left.position - right.position || left.entity - right.entity
}

function rowIn(row: unknown): OutboxRow {
  const [at, position, entity, entityId, enters, kind, factId] = valuesIn(row)
  return {
    at: Number(at),
    position: Number(position),
    entity: Number(entity),
    entityId: String(entityId),
    enters: enters === 1,
    cause: causeIn(kind, factId),
  }
}

/**
 * SQL that selects outbox rows with the ids of their entities. The second join finds the ids of erased
 * entities.
 */
const rows = `
  SELECT at, outbox.position, outbox.entity, coalesce(entities.entity_id, erased_entities.entity_id), enters, kind,
    fact_id
  FROM outbox LEFT JOIN entities USING (entity) LEFT JOIN erased_entities USING (entity)`

/** SQL that selects the rows of an entity by its id, even if the entity is erased. */
const ofEntity = `outbox.entity = (
    SELECT entity FROM entities WHERE entity_id = ?3
    UNION ALL SELECT entity FROM erased_entities WHERE entity_id = ?3)`

const sql = {
  counts: 'SELECT segment, count(*) FROM outbox GROUP BY segment',
  count: 'SELECT count(*) FROM outbox WHERE segment = ?',
  page: `${rows} WHERE segment = ? ORDER BY at, outbox.position, outbox.entity LIMIT ?`,
  // Changes that timers cause have position 0. The statement searches only these rows, because many entities
  // may change at one instant.
  timed: `${rows} WHERE segment = ?1 AND at = ?2 AND outbox.position = 0 AND ${ofEntity}`,
  caused: `${rows} WHERE segment = ?1 AND at = ?2 AND ${ofEntity}`,
  countOf: `SELECT count(*) FROM outbox
       WHERE segment = ? AND entity = ? AND (at, position) <= (?, ?)`,
  removeOf: 'DELETE FROM outbox WHERE segment = ? AND entity = ?',
  remove: 'DELETE FROM outbox WHERE segment = ? AND at = ? AND position = ? AND entity = ?',
  removeUntil: 'DELETE FROM outbox WHERE segment = ? AND (at, position) <= (?, ?)',
  removeAll: 'DELETE FROM outbox WHERE segment = ?',
}
