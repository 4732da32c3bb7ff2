import {
  emptyState,
  type EntityState,
  type Subject,
} from '../../../../../domain/segments/membership/entity-state.js'
import { BufferedInsert } from '../../../file/buffered-insert.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../../file/row.js'
import { bucketOf, digestOf } from '../hashes.js'
import { isEmpty, StateBytes } from './state-bytes.js'
import type { ErasedBy } from '../../projection.js'
import type { StateNumbers } from './state-numbers.js'

export interface EntityRow {
  /** The number of the entity, which is the position of the fact that created it. */
  readonly entity: number
  readonly entityId: string
  /** The numbers of the entity logs that contain the facts of this entity. */
  readonly logs: readonly number[]
  readonly subject: Subject
  readonly state: EntityState
  /**
   * The instant of the entity's next timer as stored in the table `states`. Undefined when the table has no row
   * for the entity.
   */
  storedDue?: number | undefined
  /** The number that the entity adds to the digest of a segment. Set by the first call of `memberDigest`. */
  digest?: bigint | undefined
  /** The `EntityErased` fact. Undefined when the entity is not erased. */
  readonly erasedBy?: ErasedBy
}

/** Returns the subject that rules evaluate. `createdAt` is in milliseconds since 1970. */
export function subjectOf(externalId: string, createdAt: number): Subject {
  return { externalId, createdAt, bucketOf: (salt) => bucketOf(salt, externalId) }
}

/** Returns the number that an entity adds to the digest of a segment. The row caches the number. */
export function memberDigest(row: EntityRow): bigint {
  row.digest ??= digestOf(row.entityId)
  return row.digest
}

export interface DueEntity {
  readonly entity: number
  readonly due: number
}

const maxCached = 20_000
/**
 * The number of changed states above which states are written before the commit, so that the commit fits into a
 * slice.
 */
const maxChanged = 1_000

/** Caches the evaluation states of entities. `write` stores all changed states together. */
export class EntityStates {
  private readonly rows = new Map<number, EntityRow>()
  private readonly changed = new Set<EntityRow>()
  private readonly statements: Statements<typeof sql>
  private earliest: number | undefined

  private readonly added: BufferedInsert
  private readonly bytes: StateBytes

  /**
   * `numbers` lists the properties, conditions and segments that the evaluated rules use. A stored state contains
   * only these properties, conditions and segments.
   */
  constructor(
    db: Database,
    private readonly numbers: StateNumbers,
  ) {
    this.statements = prepareAll(db, sql)
    this.added = new BufferedInsert(db, 'states')
    this.bytes = new StateBytes(numbers)
  }

  /** Returns a reader of the stored entity states over another connection. */
  over(db: Database): EntityStates {
    return new EntityStates(db, this.numbers)
  }

  get nextDue(): number {
    this.earliest ??= this.firstDue()
    return this.earliest
  }

  /** Returns the entity with its state, or undefined when the entity does not exist. */
  get(entity: number): EntityRow | undefined {
    const cached = this.rows.get(entity)
    if (cached !== undefined) return cached
    const found = this.statements.find.get(entity)
    if (found === undefined) return undefined
    const [externalId, entityId, createdAt, dueAt, bytes] = valuesIn(found)
    const due = dueAt === null ? Infinity : Number(dueAt)
    const isStored = bytes instanceof Uint8Array
    const row: EntityRow = {
      entity,
      entityId: String(entityId),
      logs: [entity],
      subject: subjectOf(String(externalId), Number(createdAt)),
      state: isStored ? this.bytes.stateIn(bytes, due) : emptyState(),
      storedDue: isStored ? due : undefined,
      digest: undefined,
    }
    if (this.rows.size - this.changed.size >= maxCached) this.emptyCache()
    this.rows.set(entity, row)
    return row
  }

  private emptyCache(): void {
    this.rows.clear()
    for (const row of this.changed) this.rows.set(row.entity, row)
  }

  /** Marks the state of an entity as changed. Call it after each change of the state. */
  change(row: EntityRow): void {
    this.changed.add(row)
    if (this.earliest !== undefined) this.earliest = Math.min(this.earliest, row.state.due)
  }

  /** Removes the state of an erased entity. */
  forget(entity: number): void {
    this.write()
    this.rows.delete(entity)
    this.statements.remove.run(entity)
    this.earliest = undefined
  }

  /**
   * Returns at most `most` entities that have a timer at or before `until`, in the order of the timers. Writes
   * changed states first.
   */
  dueUntil(until: number, most: number): readonly DueEntity[] {
    this.write()
    this.earliest = undefined
    return this.statements.due.all(until, most).map((found) => {
      const [entity = 0, due = 0] = numbersIn(found)
      return { entity, due }
    })
  }

  /**
   * Returns the instant of the first timer after the first `count` timers, or Infinity when there are at most
   * `count` timers.
   */
  dueAfter(count: number): number {
    this.write()
    return numberIn(this.statements.dueAfter.get(count)) ?? Infinity
  }

  get isFull(): boolean {
    return this.changed.size > maxChanged
  }

  /** Writes the changed states in table order, because neighbouring rows share a page. */
  write(): void {
    const rows = [...this.changed].sort((left, right) => left.entity - right.entity)
    for (const row of rows) this.writeRow(row)
    this.added.write()
    this.changed.clear()
  }

  private writeRow(row: EntityRow): void {
    const { entity, state, storedDue } = row
    const due = state.due === Infinity ? null : state.due
    if (isEmpty(state)) {
      if (storedDue !== undefined) this.statements.remove.run(entity)
      row.storedDue = undefined
      return
    }
    const bytes = this.bytes.bytesOf(state)
    if (storedDue === undefined) this.added.add(entity, due, bytes)
    else if (storedDue === state.due) this.statements.keep.run(bytes, entity)
    else this.statements.keepAll.run(due, bytes, entity)
    row.storedDue = state.due
  }

  private firstDue(): number {
    const [first] = valuesIn(this.statements.firstDue.get())
    const stored = first === null ? Infinity : Number(first)
    return Math.min(stored, ...[...this.changed].map(({ state }) => state.due))
  }
}

const sql = {
  find: `SELECT external_id, entity_id, coalesce(counted_created_at, created_at), due, state
       FROM entities LEFT JOIN states USING (entity) WHERE entity = ?`,
  due: 'SELECT entity, due FROM states WHERE due <= ? ORDER BY due, entity LIMIT ?',
  dueAfter: 'SELECT due FROM states WHERE due IS NOT NULL ORDER BY due LIMIT 1 OFFSET ?',
  firstDue: 'SELECT min(due) FROM states WHERE due IS NOT NULL',
  // Updates the state without `due`, so that SQLite does not write to the index on `due`.
  keep: 'UPDATE states SET state = ? WHERE entity = ?',
  keepAll: 'UPDATE states SET due = ?, state = ? WHERE entity = ?',
  remove: 'DELETE FROM states WHERE entity = ?',
}
