import { BufferedInsert } from '../../../file/buffered-insert.js'
import { type Database, prepareAll, type Statements } from '../../../file/driver.js'
import { numbersIn } from '../../../file/row.js'
import { hashIn48Bits } from '../hashes.js'
import type { PublishedChange } from './published-change.js'

/**
 * The published changes that this process has not derived. `position` is the position of the published fact,
 * and `change` is a hash of the change.
 */
export const underivedTable = `
  CREATE TABLE underived (
    segment TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (segment, entity_id, position)
  ) STRICT, WITHOUT ROWID;`

interface Underived {
  readonly segment: string
  readonly entityId: string
  readonly position: number
  readonly change: number
}

/**
 * The published changes that this process has not derived yet. The table has rows only while a version that
 * queries use is being backfilled. After the backfill, this process derives each change before the change is
 * published. The primary key contains the entity before the position, because a backfill derives the changes of
 * one entity after another.
 */
export class UnderivedChanges {
  private readonly rows: BufferedInsert
  private readonly statements: Statements<typeof sql>
  /** Changes that are not in the table yet. */
  private added: Underived[] = []
  /**
   * The changes of one entity, by segment. They were deleted from the table, and `write` inserts the remaining
   * changes again.
   */
  private taken = new Map<string, Underived[]>()
  private takenOf: string | undefined

  constructor(db: Database) {
    this.rows = new BufferedInsert(db, 'underived')
    this.statements = prepareAll(db, sql)
  }

  add(segment: string, change: PublishedChange, position: number): void {
    if (this.takenOf === change.entityId) this.write()
    const { entityId } = change
    this.added.push({ segment, entityId, position, change: hashOf(change) })
  }

  /** Removes a change that this process has derived. Returns false when the change is not published yet. */
  remove(segment: string, change: PublishedChange): boolean {
    const { entityId } = change
    if (this.takenOf !== entityId) this.write()
    this.takenOf = entityId
    const rows = this.taken.get(segment) ?? this.takeOut(segment, entityId)
    this.taken.set(segment, rows)
    if (rows.length === 0) return false
    const hash = hashOf(change)
    const at = rows.findIndex((row) => row.change === hash)
    if (at >= 0) rows.splice(at, 1)
    return at >= 0
  }

  private takeOut(segment: string, entityId: string): Underived[] {
    return this.statements.takeOut.all(segment, entityId).map((row) => {
      const [position = 0, change = 0] = numbersIn(row)
      return { segment, entityId, position, change }
    })
  }

  /** Returns whether the segment has an underived change of an entity that is not erased. */
  hasAny(segment: string): boolean {
    this.write()
    return this.statements.any.get(segment) !== undefined
  }

  clear(segment: string): void {
    this.write()
    this.statements.clear.run(segment)
  }

  /** Writes the changes in table order, because neighbouring rows share a page. */
  write(): void {
    const left = [...this.taken.values()].flat()
    for (const { segment, entityId, position, change } of [...left, ...this.added].sort(byKey)) {
      this.rows.add(segment, entityId, position, change)
    }
    this.rows.write()
    this.added = []
    this.taken.clear()
    this.takenOf = undefined
  }
}

/** Returns a hash that differs between the changes of one entity. */
function hashOf({ enters, at, cause }: PublishedChange): number {
  return hashIn48Bits(`${String(at)} ${String(enters)} ${cause.kind} ${cause.factId ?? ''}`)
}

function byKey(left: Underived, right: Underived): number {
  if (left.segment !== right.segment) return left.segment < right.segment ? -1 : 1
  if (left.entityId !== right.entityId) return left.entityId < right.entityId ? -1 : 1
  return left.position - right.position
}

const sql = {
  takeOut: 'DELETE FROM underived WHERE segment = ? AND entity_id = ? RETURNING position, change',
  any: `SELECT 1 FROM underived LEFT JOIN erased_entities USING (entity_id)
        WHERE segment = ? AND erased_entities.entity_id IS NULL LIMIT 1`,
  clear: 'DELETE FROM underived WHERE segment = ?',
}
