import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import { numberIn, numbersIn } from '../../file/row.js'

/** The `EventVoided` fact that voided an event. */
export interface Void {
  /** The position of the `EventVoided`. */
  readonly position: number
  /** The time of recording of the void, in milliseconds since 1970. */
  readonly at: number
}

/** The voids of one entity, by the position of the voided event. */
export type Voids = ReadonlyMap<number, Void>

export const noVoids: Voids = new Map()

/**
 * The table `voided_events` lists the voided events of each entity, with the void of each event. The entries of
 * voided events stay in the entity log. `voided_at` is in milliseconds since 1970.
 */
export const voidTable = `
  CREATE TABLE voided_events (
    entity INTEGER NOT NULL,
    position INTEGER NOT NULL,
    void_position INTEGER NOT NULL,
    voided_at INTEGER NOT NULL,
    PRIMARY KEY (entity, position)
  ) STRICT, WITHOUT ROWID;`

export class VoidedEvents {
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  /** Adds a void. Returns false when the event is voided already. */
  add(entity: number, event: number, { position, at }: Void): boolean {
    return this.statements.add.all(entity, event, position, at).length > 0
  }

  /** Returns whether an event is voided by a fact up to the position `until`. */
  has(entity: number, event: number, until = Infinity): boolean {
    const position = numberIn(this.statements.find.get(entity, event))
    return position !== undefined && position <= until
  }

  /** Returns the voids with positions up to `until`. */
  of(entities: readonly number[], until: number): Voids {
    const rows = entities.flatMap((entity) => this.statements.of.all(entity).map(numbersIn))
    if (rows.length === 0) return noVoids
    const voids = new Map<number, Void>()
    for (const [event = 0, position = 0, at = 0] of rows) {
      if (position <= until) voids.set(event, { position, at })
    }
    return voids
  }

  /** Removes some rows of an erased entity. Returns false when none is left. */
  removeSome(entity: number, most: number): boolean {
    return this.statements.remove.all(entity, entity, most).length > 0
  }
}

const sql = {
  add: 'INSERT OR IGNORE INTO voided_events VALUES (?, ?, ?, ?) RETURNING 1',
  find: 'SELECT void_position FROM voided_events WHERE entity = ? AND position = ?',
  of: 'SELECT position, void_position, voided_at FROM voided_events WHERE entity = ?',
  remove: `DELETE FROM voided_events WHERE entity = ? AND position IN (
             SELECT position FROM voided_events WHERE entity = ? LIMIT ?) RETURNING 1`,
}
