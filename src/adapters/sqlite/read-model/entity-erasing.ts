import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numbersIn, valuesIn } from '../file/row.js'
import type { EntityLogs } from './entity-log/entity-logs.js'
import type { ErasedEntities } from './erased-entities.js'
import type { AppliedProjection, PlacedFact } from './projection.js'
import type { Slice } from './queries/slice.js'
import type { SegmentProjection } from './segments/segment-projection.js'

/** Keys and late events that are removed at a time. */
const rowsAtOnce = 200

export interface EntityErasingParts {
  readonly db: Database
  readonly logs: EntityLogs
  readonly erased: ErasedEntities
  readonly segments: SegmentProjection
  /** In the order in which they are applied. */
  readonly applied: readonly AppliedProjection[]
  /** The facts are stored in the read model. */
  readonly keepsFacts: boolean
  /** Another entity may have the name. */
  readonly forget: (externalId: string, entity: number) => void
}

/**
 * Erases entities. With its `EntityErased` an entity is found by nobody, and has left its segments; what
 * there may be a million rows of is removed by and by, beside other work.
 */
export class EntityErasing {
  private readonly statements: ReturnType<typeof prepare>
  private isDone: boolean

  constructor(private readonly parts: EntityErasingParts) {
    const { db, erased, keepsFacts } = parts
    this.statements = prepare(db, keepsFacts)
    this.isDone = erased.next() === undefined
  }

  /** `by`: its `EntityErased`; undefined: its facts are gone already, and nothing follows from them. */
  erase(entityId: string, by: PlacedFact | undefined): void {
    const { segments, applied, erased, logs, forget } = this.parts
    segments.foresee(entityId)
    const found = this.statements.find.get(entityId)
    if (found === undefined) {
      erased.erase(entityId, erased.get(entityId)?.entity, by?.logged.position)
      return
    }
    const [number, name] = valuesIn(found)
    const [entity, externalId] = [Number(number), String(name)]
    for (const projection of applied) projection.write()
    logs.writeOf(entity)
    const memberships = segments.leaveAll(entity, by)
    for (const projection of applied) projection.erase({ entity, entityId, externalId, by })
    forget(externalId, entity)
    erased.erase(entityId, entity, by?.logged.position, memberships)
    this.isDone = false
  }

  /** Nothing is left to be removed. */
  get isIdle(): boolean {
    return this.isDone
  }

  /** Removes some of what is left, until the slice is over. */
  step(slice: Slice): void {
    do {
      const entity = this.parts.erased.next()
      this.isDone = entity === undefined
      if (entity === undefined) return
      if (!this.removeSome(entity)) this.parts.erased.gone(entity)
    } while (!slice.endsHere())
  }

  /** False: there is nothing. */
  private removeSome(entity: number): boolean {
    const { logs, keepsFacts } = this.parts
    const { otherFact, facts, keys, stragglers, removeStragglers } = this.statements
    const entries = logs.removeLast(entity)
    if (entries !== undefined) {
      if (keepsFacts) facts?.run(JSON.stringify(entries.map(({ position }) => position)))
      else for (const { position, logTime } of entries) otherFact.run(position, logTime)
      return true
    }
    keys?.run(entity, entity, rowsAtOnce)
    const late = stragglers.all(entity, rowsAtOnce).map(numbersIn)
    for (const [at = 0, position = 0] of late) removeStragglers.run(entity, at, position)
    const hasKeys = keys !== undefined && this.statements.hasKeys?.get(entity) !== undefined
    return late.length === rowsAtOnce || hasKeys
  }
}

function prepare(db: Database, keepsFacts: boolean) {
  const ofFacts = keepsFacts
    ? {
        facts: db.prepare('DELETE FROM facts WHERE position IN (SELECT value FROM json_each(?))'),
        keys: db.prepare(
          `DELETE FROM keys WHERE stream_id = ? AND key IN (
             SELECT key FROM keys WHERE stream_id = ? LIMIT ?)`,
        ),
        hasKeys: prepareRows(db, 'SELECT 1 FROM keys WHERE stream_id = ? LIMIT 1'),
      }
    : {}
  const noFacts: { facts?: Statement; keys?: Statement; hasKeys?: Statement } = {}
  return {
    ...noFacts,
    ...ofFacts,
    find: prepareRows(db, 'SELECT entity, external_id FROM entities WHERE entity_id = ?'),
    // A stub in its place is about no entity.
    otherFact: db.prepare('INSERT OR IGNORE INTO other_facts VALUES (?, ?, NULL)'),
    stragglers: prepareRows(
      db,
      'SELECT occurred_at, position FROM stragglers WHERE entity = ? LIMIT ?',
    ),
    removeStragglers: db.prepare(
      'DELETE FROM stragglers WHERE entity = ? AND occurred_at = ? AND position = ?',
    ),
  }
}
