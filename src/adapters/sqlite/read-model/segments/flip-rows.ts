import { isAfter, type FlipBound, type FlipPlace } from '../../../../domain/segments/flip-place.js'
import { BufferedInsert } from '../../file/buffered-insert.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { numbersIn, valuesIn } from '../../file/row.js'
import { toldKind, type ToldFlip } from './told-flip.js'

/** A flip that the log is not told of yet. */
export interface FlipRow extends ToldFlip, FlipPlace {
  /** The entity's number. */
  readonly entity: number
}

/** Of the table `untold_flips`. */
const columns = 7

/** So many are held of each segment at most, unless more are asked for. */
const maxHeld = 200

/** The flips of segments that the log is not told of yet. A segment is known by its number of members. */
export class FlipRows {
  private readonly statements: ReturnType<typeof prepare>
  private readonly added: BufferedInsert
  private readonly counts = new Map<number, number>()
  /** The first ones of segments, as the table has them: what is told next is not looked up one by one. */
  private readonly firsts = new Map<number, FlipRow[]>()

  constructor(db: Database) {
    this.statements = prepare(db)
    this.added = new BufferedInsert(db, 'untold_flips', columns)
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
  first(segment: number): FlipRow | undefined {
    return this.atLeast(segment, 1)[0]
  }

  /** The first ones, in their order, up to a fact where one is named. */
  upTo(segment: number, until: FlipBound | undefined, most: number): readonly FlipRow[] {
    const rows = this.atLeast(segment, most).slice(0, most)
    return until === undefined ? rows : rows.filter((row) => !isAfter(row, until))
  }

  /** The first ones: so many or more, or all. */
  private atLeast(segment: number, count: number): readonly FlipRow[] {
    const held = this.firsts.get(segment) ?? []
    if (held.length >= Math.min(count, this.count(segment))) return held
    this.write()
    const rows = this.statements.page.all(segment, Math.max(count, maxHeld)).map(flipIn)
    this.firsts.set(segment, rows)
    return rows
  }

  add(segment: number, row: FlipRow): void {
    const { at, position, entity, enters, cause } = row
    const { kind, factId = null } = cause
    this.added.add(segment, at, position, entity, Number(enters), kind, factId)
    this.hold(segment, row)
    this.counted(segment, this.count(segment) + 1)
  }

  /** Where all that there are are held, the next one is as well. */
  private hold(segment: number, row: FlipRow): void {
    const count = this.count(segment)
    const held = this.firsts.get(segment) ?? []
    const last = held.at(-1)
    if (last !== undefined && !isBefore(last, row)) this.firsts.delete(segment)
    else if (held.length === count && count < maxHeld) {
      held.push(row)
      this.firsts.set(segment, held)
    }
  }

  remove(segment: number, row: FlipRow): void {
    this.write()
    this.statements.remove.run(segment, row.at, row.position, row.entity)
    this.counted(segment, this.count(segment) - 1)
    const held = this.firsts.get(segment)
    if (held?.[0] === row) held.shift()
    else this.firsts.delete(segment)
  }

  /** Those up to a fact. */
  removeUntil(segment: number, { logTime, position }: FlipBound): void {
    if (this.count(segment) === 0) return
    this.write()
    this.statements.removeUntil.run(segment, logTime, position)
    const [left = 0] = numbersIn(this.statements.count.get(segment))
    this.counted(segment, left)
    this.firsts.delete(segment)
  }

  /** All but those of these segments. */
  removeOthers(segments: ReadonlySet<number>): void {
    for (const segment of [...this.counts.keys()].filter((id) => !segments.has(id))) {
      this.write()
      this.statements.removeAll.run(segment)
      this.counted(segment, 0)
      this.firsts.delete(segment)
    }
  }

  /** What was added goes into the table. */
  write(): void {
    this.added.write()
  }

  private counted(segment: number, count: number): void {
    if (count === 0) this.counts.delete(segment)
    else this.counts.set(segment, count)
  }
}

function isBefore(left: FlipRow, right: FlipRow): boolean {
  if (left.at !== right.at) return left.at < right.at
  if (left.position !== right.position) return left.position < right.position
  return left.entity < right.entity
}

function flipIn(row: unknown): FlipRow {
  const [at, position, entity, entityId, enters, kind, factId] = valuesIn(row)
  return {
    at: Number(at),
    position: Number(position),
    entity: Number(entity),
    entityId: String(entityId),
    enters: enters === 1,
    cause: {
      kind: toldKind(String(kind)),
      ...(typeof factId === 'string' ? { factId } : {}),
    },
  }
}

function prepare(db: Database) {
  return {
    counts: prepareRows(db, 'SELECT segment, count(*) FROM untold_flips GROUP BY segment'),
    count: prepareRows(db, 'SELECT count(*) FROM untold_flips WHERE segment = ?'),
    page: prepareRows(
      db,
      `SELECT at, position, entity, entity_id, enters, kind, fact_id
       FROM untold_flips JOIN entities USING (entity)
       WHERE segment = ? ORDER BY at, position, entity LIMIT ?`,
    ),
    remove: db.prepare(
      'DELETE FROM untold_flips WHERE segment = ? AND at = ? AND position = ? AND entity = ?',
    ),
    removeUntil: db.prepare(
      'DELETE FROM untold_flips WHERE segment = ? AND (at, position) <= (?, ?)',
    ),
    removeAll: db.prepare('DELETE FROM untold_flips WHERE segment = ?'),
  }
}
