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
  /** Its number: the position of its creation. */
  readonly entity: number
  readonly entityId: string
  readonly subject: Subject
  readonly state: EntityState
  /** When it is due in the table; undefined: there is no state. */
  dueThere?: number | undefined
  /** See `memberDigest`; undefined: not computed yet. */
  digest?: bigint | undefined
  /** The `EntityErased` of one that is erased. */
  readonly erasedBy?: ErasedBy
}

/** `createdAt`: in milliseconds since 1970. */
export function subjectOf(externalId: string, createdAt: number): Subject {
  return { externalId, createdAt, bucketOf: (salt) => bucketOf(salt, externalId) }
}

/** What an entity adds to the digest of a segment. It is computed once. */
export function memberDigest(row: EntityRow): bigint {
  row.digest ??= digestOf(row.entityId)
  return row.digest
}

export interface DueEntity {
  readonly entity: number
  readonly due: number
}

const maxCached = 20_000
/** States that are changed, from which on they are written before the commit, which would outlast a slice. */
const maxChanged = 1_000

/** What entities are evaluated with, written together. */
export class EntityStates {
  private readonly rows = new Map<number, EntityRow>()
  private readonly changed = new Set<EntityRow>()
  private readonly statements: Statements<typeof sql>
  private earliest: number | undefined

  private readonly added: BufferedInsert
  private readonly bytes: StateBytes

  /** `numbers`: what is evaluated looks at what has one, and at nothing else in a state. */
  constructor(
    db: Database,
    private readonly numbers: StateNumbers,
  ) {
    this.statements = prepareAll(db, sql)
    this.added = new BufferedInsert(db, 'states')
    this.bytes = new StateBytes(numbers)
  }

  over(db: Database): EntityStates {
    return new EntityStates(db, this.numbers)
  }

  get nextDue(): number {
    this.earliest ??= this.firstDue()
    return this.earliest
  }

  /** Undefined when there is no such entity. */
  get(entity: number): EntityRow | undefined {
    const cached = this.rows.get(entity)
    if (cached !== undefined) return cached
    const found = this.statements.find.get(entity)
    if (found === undefined) return undefined
    const [externalId, entityId, createdAt, dueAt, bytes] = valuesIn(found)
    const due = dueAt === null ? Infinity : Number(dueAt)
    const isThere = bytes instanceof Uint8Array
    const row: EntityRow = {
      entity,
      entityId: String(entityId),
      subject: subjectOf(String(externalId), Number(createdAt)),
      state: isThere ? this.bytes.stateIn(bytes, due) : emptyState(),
      dueThere: isThere ? due : undefined,
      digest: undefined,
    }
    if (this.rows.size - this.changed.size >= maxCached) this.forget()
    this.rows.set(entity, row)
    return row
  }

  private forget(): void {
    this.rows.clear()
    for (const row of this.changed) this.rows.set(row.entity, row)
  }

  /** To be called after the state was changed. */
  change(row: EntityRow): void {
    this.changed.add(row)
    if (this.earliest !== undefined) this.earliest = Math.min(this.earliest, row.state.due)
  }

  erase(entity: number): void {
    this.write()
    this.rows.delete(entity)
    this.statements.remove.run(entity)
    this.earliest = undefined
  }

  /** Those that are due up to an instant, in order, some of them. Writes first. */
  dueUntil(until: number, most: number): readonly DueEntity[] {
    this.write()
    this.earliest = undefined
    return this.statements.due.all(until, most).map((found) => {
      const [entity = 0, due = 0] = numbersIn(found)
      return { entity, due }
    })
  }

  /** The instant at which the entity is due that has `count` due before it; Infinity: there are fewer. */
  dueAfter(count: number): number {
    this.write()
    return numberIn(this.statements.dueAfter.get(count)) ?? Infinity
  }

  /** Many changes are written at once, few of them by and by. */
  get isFull(): boolean {
    return this.changed.size > maxChanged
  }

  /** In the order of the table, where neighbours are on the same page. */
  write(): void {
    const rows = [...this.changed].sort((left, right) => left.entity - right.entity)
    for (const row of rows) this.writeRow(row)
    this.added.write()
    this.changed.clear()
  }

  private writeRow(row: EntityRow): void {
    const { entity, state, dueThere } = row
    const due = state.due === Infinity ? null : state.due
    if (isEmpty(state)) {
      if (dueThere !== undefined) this.statements.remove.run(entity)
      row.dueThere = undefined
      return
    }
    const bytes = this.bytes.bytesOf(state)
    if (dueThere === undefined) this.added.add(entity, due, bytes)
    else if (dueThere === state.due) this.statements.keep.run(bytes, entity)
    else this.statements.keepAll.run(due, bytes, entity)
    row.dueThere = state.due
  }

  private firstDue(): number {
    const [first] = valuesIn(this.statements.firstDue.get())
    const stored = first === null ? Infinity : Number(first)
    return Math.min(stored, ...[...this.changed].map(({ state }) => state.due))
  }
}

const sql = {
  find: `SELECT external_id, entity_id, created_at, due, state
       FROM entities LEFT JOIN states USING (entity) WHERE entity = ?`,
  due: 'SELECT entity, due FROM states WHERE due <= ? ORDER BY due, entity LIMIT ?',
  dueAfter: 'SELECT due FROM states WHERE due IS NOT NULL ORDER BY due LIMIT 1 OFFSET ?',
  firstDue: 'SELECT min(due) FROM states WHERE due IS NOT NULL',
  // The index of due instants is not touched.
  keep: 'UPDATE states SET state = ? WHERE entity = ?',
  keepAll: 'UPDATE states SET due = ?, state = ? WHERE entity = ?',
  remove: 'DELETE FROM states WHERE entity = ?',
}
