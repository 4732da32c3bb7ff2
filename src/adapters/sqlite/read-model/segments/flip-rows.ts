import type { FlipPlace } from '../../../../domain/segments/flip-place.js'
import type { Since } from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { numbersIn, valuesIn } from '../../file/row.js'
import { toldKind, type ToldFlip } from './told-flip.js'

/** A flip that the log is not told of yet. */
export interface FlipRow extends ToldFlip, FlipPlace {
  /** The entity's number. */
  readonly entity: number
}

const noBound = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const

/** The flips of segments that the log is not told of yet. A segment is known by its number of members. */
export class FlipRows {
  private readonly statements: ReturnType<typeof prepare>
  private readonly counts = new Map<number, number>()
  /** Of those that were looked for since they changed. */
  private readonly firsts = new Map<number, FlipPlace>()

  constructor(db: Database) {
    this.statements = prepare(db)
    for (const row of this.statements.counts.all()) {
      const [segment = 0, count = 0] = numbersIn(row)
      this.counts.set(segment, count)
    }
  }

  /** How many there are of a segment. */
  count(segment: number): number {
    return this.counts.get(segment) ?? 0
  }

  /** The first one of a segment. */
  first(segment: number): FlipPlace | undefined {
    if (this.count(segment) === 0) return undefined
    const known = this.firsts.get(segment)
    if (known !== undefined) return known
    const [at = 0, position = 0] = numbersIn(this.statements.first.get(segment))
    this.firsts.set(segment, { at, position })
    return { at, position }
  }

  /** The first ones, in their order, up to a fact where one is named. */
  upTo(segment: number, until: Since | undefined, most: number): readonly FlipRow[] {
    if (this.count(segment) === 0) return []
    const bound = until === undefined ? noBound : ([until.logTime, until.position] as const)
    return this.statements.page.all(segment, ...bound, most).map((row) => {
      const [at, position, entity, entityId, enters, kind, factId] = valuesIn(row)
      const cause = {
        kind: toldKind(String(kind)),
        ...(typeof factId === 'string' ? { factId } : {}),
      }
      return {
        at: Number(at),
        position: Number(position),
        entity: Number(entity),
        entityId: String(entityId),
        enters: enters === 1,
        cause,
      }
    })
  }

  add(segment: number, { at, position, entity, enters, cause }: Omit<FlipRow, 'entityId'>): void {
    const { kind, factId = null } = cause
    this.statements.add.run(segment, at, position, entity, Number(enters), kind, factId)
    this.changed(segment, this.count(segment) + 1)
  }

  remove(segment: number, { at, position, entity }: Omit<FlipRow, 'entityId'>): void {
    this.statements.remove.run(segment, at, position, entity)
    this.changed(segment, this.count(segment) - 1)
  }

  /** Those up to a fact. */
  removeUntil(segment: number, { logTime, position }: Since): void {
    if (this.count(segment) === 0) return
    this.statements.removeUntil.run(segment, logTime, position)
    const [left = 0] = numbersIn(this.statements.count.get(segment))
    this.changed(segment, left)
  }

  /** All but those of these segments. */
  removeOthers(segments: ReadonlySet<number>): void {
    for (const segment of [...this.counts.keys()].filter((id) => !segments.has(id))) {
      this.statements.removeAll.run(segment)
      this.changed(segment, 0)
    }
  }

  private changed(segment: number, count: number): void {
    this.firsts.delete(segment)
    if (count === 0) this.counts.delete(segment)
    else this.counts.set(segment, count)
  }
}

function prepare(db: Database) {
  return {
    counts: prepareRows(db, 'SELECT segment, count(*) FROM untold_flips GROUP BY segment'),
    count: prepareRows(db, 'SELECT count(*) FROM untold_flips WHERE segment = ?'),
    first: prepareRows(
      db,
      `SELECT at, position FROM untold_flips
       WHERE segment = ? ORDER BY at, position, entity LIMIT 1`,
    ),
    page: prepareRows(
      db,
      `SELECT at, position, entity, entity_id, enters, kind, fact_id
       FROM untold_flips JOIN entities USING (entity)
       WHERE segment = ? AND (at, position) <= (?, ?)
       ORDER BY at, position, entity LIMIT ?`,
    ),
    add: db.prepare('INSERT INTO untold_flips VALUES (?, ?, ?, ?, ?, ?, ?)'),
    remove: db.prepare(
      'DELETE FROM untold_flips WHERE segment = ? AND at = ? AND position = ? AND entity = ?',
    ),
    removeUntil: db.prepare(
      'DELETE FROM untold_flips WHERE segment = ? AND (at, position) <= (?, ?)',
    ),
    removeAll: db.prepare('DELETE FROM untold_flips WHERE segment = ?'),
  }
}
