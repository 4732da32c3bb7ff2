import {
  emptyState,
  type EntityState,
  type Subject,
} from '../../../../domain/segments/entity-state.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import { bucketOf } from './hashes.js'
import { joinStates, stateIn, stateText, type KnownConditions } from './state-text.js'

/** An entity and what is kept of it. */
export interface EntityRow {
  /** Its number: the position of its creation. */
  readonly entity: number
  readonly entityId: string
  readonly subject: Subject
  state: EntityState
}

/** An entity that is due, and when. */
export interface DueEntity {
  readonly entity: number
  readonly due: number
}

/** So many are kept in memory between pages. */
const maxCached = 5_000

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
    const row: EntityRow = {
      entity,
      entityId: String(entityId),
      subject: {
        externalId: text,
        createdAt: Number(createdAt),
        bucketOf: (salt) => bucketOf(salt, text),
      },
      state: this.read(entity),
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
    const { bundle, joined = bundle } = this
    return this.statements.due.all(bundle, joined, until, most).map((found) => {
      const [entity, due] = valuesIn(found)
      return { entity: Number(entity), due: Number(due) }
    })
  }

  write(): void {
    for (const { entity, state } of this.changed) {
      const text = stateText(state)
      if (text === undefined) this.statements.remove.run(this.bundle, entity)
      else {
        const due = state.due === Infinity ? null : state.due
        this.statements.keep.run(this.bundle, entity, due, this.known.epoch, text)
      }
      if (this.joined !== undefined) this.statements.remove.run(this.joined, entity)
    }
    this.changed.clear()
    if (this.rows.size > maxCached) this.rows.clear()
  }

  private read(entity: number): EntityState {
    const own = this.stateOf(this.bundle, entity)
    if (this.joined === undefined) return own
    return joinStates(own, this.stateOf(this.joined, entity))
  }

  private stateOf(bundle: number, entity: number): EntityState {
    const found = this.statements.state.get(bundle, entity)
    if (found === undefined) return emptyState()
    const [due, text, written] = valuesIn(found)
    const epoch = bundle === this.bundle ? Number(written) : this.known.epoch
    const state = { text: String(text), due: due === null ? Infinity : Number(due), epoch }
    return stateIn(state, this.known)
  }

  private firstDue(): number {
    const { bundle, joined = bundle } = this
    const due = [bundle, joined].map((of) => valuesIn(this.statements.firstDue.get(of))[0])
    const kept = Math.min(...due.map((first) => (first === null ? Infinity : Number(first))))
    return Math.min(kept, ...[...this.changed].map(({ state }) => state.due))
  }
}

function prepare(db: Database): Record<Name, Statement> {
  return {
    entity: prepareRows(
      db,
      'SELECT external_id, entity_id, created_at FROM entities WHERE entity = ?',
    ),
    state: prepareRows(db, 'SELECT due, state, epoch FROM states WHERE bundle = ? AND entity = ?'),
    due: prepareRows(
      db,
      `SELECT entity, due FROM states
       WHERE bundle IN (?, ?) AND due <= ? ORDER BY due, entity LIMIT ?`,
    ),
    firstDue: prepareRows(db, 'SELECT min(due) FROM states WHERE bundle = ? AND due IS NOT NULL'),
    keep: db.prepare('INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?)'),
    remove: db.prepare('DELETE FROM states WHERE bundle = ? AND entity = ?'),
  }
}

type Name = 'entity' | 'state' | 'due' | 'firstDue' | 'keep' | 'remove'
