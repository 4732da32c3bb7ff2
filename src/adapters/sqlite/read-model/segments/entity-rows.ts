import {
  emptyState,
  type EntityState,
  type Subject,
} from '../../../../domain/segments/entity-state.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../file/row.js'
import { bucketOf } from './hashes.js'
import {
  isEmpty,
  joinStates,
  membershipsText,
  stateIn,
  stateText,
  type KnownConditions,
} from './state-text.js'

/** An entity and what is kept of it. */
export interface EntityRow {
  /** Its number: the position of its creation. */
  readonly entity: number
  readonly entityId: string
  readonly subject: Subject
  state: EntityState
  /** Its memberships differ from what is written. */
  hasFlipped: boolean
  /** Of a build: the position of the last definition that the state knows; 0 where it was never kept. */
  knows: number
  /** Of a build: it is kept for `knows`, also when there is nothing else to keep. */
  isCounted: boolean
}

/** An entity that is due, and when. */
export interface DueEntity {
  readonly entity: number
  readonly due: number
}

/** A state, and the epoch that it was written in; 0: there was none. */
interface WrittenState {
  readonly state: EntityState
  readonly epoch: number
}

/** So many are kept in memory between pages. */
const maxCached = 20_000

/** The states of entities in one bundle, written together. */
export class EntityRows {
  private readonly rows = new Map<number, EntityRow>()
  private readonly changed = new Set<EntityRow>()
  private readonly statements: ReturnType<typeof prepare>
  /** Nothing is due before. */
  private earliest: number | undefined

  /**
   * `bundle`: where they are written. `joined`: another bundle at the same position, whose states are
   * taken into this one as they are read.
   */
  constructor(
    db: Database,
    private readonly bundle: number,
    private readonly joined: number | undefined,
    private readonly known: KnownConditions,
  ) {
    this.statements = prepare(db)
  }

  /** The same rows as another connection sees them. */
  over(db: Database): EntityRows {
    return new EntityRows(db, this.bundle, this.joined, this.known)
  }

  private get bundles(): readonly number[] {
    return this.joined === undefined ? [this.bundle] : [this.bundle, this.joined]
  }

  /** Nothing is due before this instant; Infinity: nothing is due. */
  get nextDue(): number {
    this.earliest ??= this.firstDue()
    return this.earliest
  }

  /** Undefined when there is no such entity. */
  get(entity: number): EntityRow | undefined {
    const cached = this.rows.get(entity)
    if (cached !== undefined) return cached
    const found = this.statements.entity.get(entity)
    if (found === undefined) return undefined
    const [externalId, entityId, createdAt] = valuesIn(found)
    const text = String(externalId)
    const { state, epoch } = this.read(entity)
    const row: EntityRow = {
      entity,
      entityId: String(entityId),
      subject: {
        externalId: text,
        createdAt: Number(createdAt),
        bucketOf: (salt) => bucketOf(salt, text),
      },
      state,
      hasFlipped: this.joined !== undefined,
      knows: epoch,
      isCounted: epoch > 0,
    }
    this.rows.set(entity, row)
    return row
  }

  /** To be called after the state was changed. */
  change(row: EntityRow): void {
    this.changed.add(row)
    if (this.earliest !== undefined) this.earliest = Math.min(this.earliest, row.state.due)
  }

  /** Those that are due up to an instant, in order, some of them. Writes first. */
  dueUntil(until: number, most: number): readonly DueEntity[] {
    this.write()
    this.earliest = undefined
    const due = this.bundles.flatMap((bundle) =>
      this.statements.due.all(bundle, until, most).map((found) => {
        const [entity = 0, at = 0] = numbersIn(found)
        return { entity, due: at }
      }),
    )
    if (this.joined === undefined) return due
    return due
      .sort((left, right) => left.due - right.due || left.entity - right.entity)
      .slice(0, most)
  }

  /** The instant at which the entity is due that has so many due before it; Infinity: there are fewer. */
  dueAfter(count: number): number {
    this.write()
    const due = this.bundles.map((of) => numberIn(this.statements.dueAfter.get(of, count)))
    return Math.min(...due.map((instant) => instant ?? Infinity))
  }

  write(): void {
    for (const row of this.changed) {
      const isKept = this.known.epoch === undefined && row.isCounted
      if (isKept || !isEmpty(row.state)) this.keep(row)
      else this.remove(this.bundle, row.entity)
      if (this.joined !== undefined) this.remove(this.joined, row.entity)
    }
    this.changed.clear()
    if (this.rows.size > maxCached) this.rows.clear()
  }

  private keep(row: EntityRow): void {
    const { entity, state, knows } = row
    const { epoch = knows } = this.known
    const due = state.due === Infinity ? null : state.due
    this.statements.keep.run(this.bundle, entity, due, epoch, stateText(state))
    if (!row.hasFlipped) return
    this.statements.keepMemberships.run(this.bundle, entity, membershipsText(state))
    row.hasFlipped = false
  }

  private remove(bundle: number, entity: number): void {
    this.statements.remove.run(bundle, entity)
    this.statements.removeMemberships.run(bundle, entity)
  }

  private read(entity: number): WrittenState {
    const own = this.stateOf(this.bundle, entity)
    if (this.joined === undefined) return own
    return { ...own, state: joinStates(own.state, this.stateOf(this.joined, entity).state) }
  }

  private stateOf(bundle: number, entity: number): WrittenState {
    const found = this.statements.state.get(bundle, entity)
    if (found === undefined) return { state: emptyState(), epoch: 0 }
    const [dueAt, text, written, memberships] = valuesIn(found)
    const epoch = Number(written)
    // A build kept what it has all along.
    const { epoch: ours } = this.known
    const since = bundle === this.bundle && ours !== undefined ? epoch : (ours ?? 0)
    const due = dueAt === null ? Infinity : Number(dueAt)
    const texts = { text: String(text), memberships: String(memberships) }
    return { state: stateIn({ ...texts, due, epoch: since }, this.known), epoch }
  }

  private firstDue(): number {
    const due = this.bundles.map((of) => valuesIn(this.statements.firstDue.get(of))[0])
    const kept = Math.min(...due.map((first) => (first === null ? Infinity : Number(first))))
    return Math.min(kept, ...[...this.changed].map(({ state }) => state.due))
  }
}

function prepare(db: Database) {
  return {
    entity: prepareRows(
      db,
      'SELECT external_id, entity_id, created_at FROM entities WHERE entity = ?',
    ),
    state: prepareRows(
      db,
      `SELECT due, state, epoch, coalesce(since, '[]')
       FROM states LEFT JOIN memberships USING (bundle, entity) WHERE bundle = ? AND entity = ?`,
    ),
    // Of one bundle the index has them in order; of two, all would be sorted for the first ones.
    due: prepareRows(
      db,
      'SELECT entity, due FROM states WHERE bundle = ? AND due <= ? ORDER BY due, entity LIMIT ?',
    ),
    dueAfter: prepareRows(
      db,
      `SELECT due FROM states WHERE bundle = ? AND due IS NOT NULL
       ORDER BY due LIMIT 1 OFFSET ?`,
    ),
    firstDue: prepareRows(db, 'SELECT min(due) FROM states WHERE bundle = ? AND due IS NOT NULL'),
    // Costs less than REPLACE, which deletes the row and its place in the index first.
    keep: db.prepare(
      `INSERT INTO states VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET due = excluded.due, epoch = excluded.epoch, state = excluded.state`,
    ),
    remove: db.prepare('DELETE FROM states WHERE bundle = ? AND entity = ?'),
    keepMemberships: db.prepare('INSERT OR REPLACE INTO memberships VALUES (?, ?, ?)'),
    removeMemberships: db.prepare('DELETE FROM memberships WHERE bundle = ? AND entity = ?'),
  } satisfies Record<string, Statement>
}
