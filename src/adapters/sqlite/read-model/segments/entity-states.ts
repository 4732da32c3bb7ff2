import {
  emptyState,
  type EntityState,
  type Subject,
} from '../../../../domain/segments/entity-state.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../file/row.js'
import { bucketOf, digestOf } from './hashes.js'
import type { RuleConditions } from './rule-conditions.js'
import { isEmpty, stateIn, stateText } from './state-text.js'

/** An entity and its state. */
export interface EntityRow {
  /** Its number: the position of its creation. */
  readonly entity: number
  readonly entityId: string
  readonly subject: Subject
  readonly state: EntityState
  /** See `memberDigest`; undefined: not computed yet. */
  digest: bigint | undefined
}

/** What an entity adds to the digest of a segment. It is computed once. */
export function memberDigest(row: EntityRow): bigint {
  row.digest ??= digestOf(row.entityId)
  return row.digest
}

/** An entity that is due, and when. */
export interface DueEntity {
  readonly entity: number
  readonly due: number
}

/** Rows in memory between writes at most. */
const maxCached = 20_000

/** What entities are evaluated with, written together. */
export class EntityStates {
  private readonly rows = new Map<number, EntityRow>()
  private readonly changed = new Set<EntityRow>()
  private readonly statements: ReturnType<typeof prepare>
  /** Nothing is due before. */
  private earliest: number | undefined

  /** `looked`: what is evaluated looks at this, and at nothing else in a state. */
  constructor(
    db: Database,
    private readonly looked: RuleConditions,
  ) {
    this.statements = prepare(db)
  }

  /** The same as another connection sees them. */
  over(db: Database): EntityStates {
    return new EntityStates(db, this.looked)
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
    const found = this.statements.find.get(entity)
    if (found === undefined) return undefined
    const [externalId, entityId, createdAt, due, text] = valuesIn(found)
    const id = String(externalId)
    const row: EntityRow = {
      entity,
      entityId: String(entityId),
      subject: {
        externalId: id,
        createdAt: Number(createdAt),
        bucketOf: (salt) => bucketOf(salt, id),
      },
      state:
        typeof text === 'string'
          ? stateIn(text, due === null ? Infinity : Number(due), this.looked)
          : emptyState(),
      digest: undefined,
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
    return this.statements.due.all(until, most).map((found) => {
      const [entity = 0, due = 0] = numbersIn(found)
      return { entity, due }
    })
  }

  /** The instant at which the entity is due that has so many due before it; Infinity: there are fewer. */
  dueAfter(count: number): number {
    this.write()
    return numberIn(this.statements.dueAfter.get(count)) ?? Infinity
  }

  write(): void {
    for (const { entity, state } of this.changed) {
      const due = state.due === Infinity ? null : state.due
      if (isEmpty(state)) this.statements.remove.run(entity)
      else this.statements.keep.run(entity, due, stateText(state))
    }
    this.changed.clear()
    if (this.rows.size > maxCached) this.rows.clear()
  }

  private firstDue(): number {
    const [first] = valuesIn(this.statements.firstDue.get())
    const stored = first === null ? Infinity : Number(first)
    return Math.min(stored, ...[...this.changed].map(({ state }) => state.due))
  }
}

function prepare(db: Database) {
  return {
    find: prepareRows(
      db,
      `SELECT external_id, entity_id, created_at, due, state
       FROM entities LEFT JOIN states USING (entity) WHERE entity = ?`,
    ),
    due: prepareRows(
      db,
      'SELECT entity, due FROM states WHERE due <= ? ORDER BY due, entity LIMIT ?',
    ),
    dueAfter: prepareRows(
      db,
      'SELECT due FROM states WHERE due IS NOT NULL ORDER BY due LIMIT 1 OFFSET ?',
    ),
    firstDue: prepareRows(db, 'SELECT min(due) FROM states WHERE due IS NOT NULL'),
    // Costs less than REPLACE, which deletes the row and its place in the index first.
    keep: db.prepare(
      `INSERT INTO states VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET due = excluded.due, state = excluded.state`,
    ),
    remove: db.prepare('DELETE FROM states WHERE entity = ?'),
  } satisfies Record<string, Statement>
}
