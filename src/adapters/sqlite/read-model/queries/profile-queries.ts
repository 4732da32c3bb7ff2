import type {
  EntityProfile,
  FullProfiles,
  ListedEntity,
  Part,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { parsePointer, valueAt } from '../../../../domain/segments/rule/pointer.js'
import { type Database, type SqlValue, prepareAll, type Statements } from '../../file/driver.js'
import { bytesIn, objectIn, valuesIn } from '../../file/row.js'
import { countsColumns, logHeadIn } from '../entity-log/log-blocks.js'
import { propertyKey } from '../property-index.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import { listedColumns, listedIn, picking } from './listed-entities.js'
import { PageSize, rowsOfPage } from './page-size.js'

/**
 * The most full profiles that the status lists. The list is short because each status is sent to another
 * thread.
 */
const maxFullProfiles = 100

/** Answers queries for current profiles and for lists of entities. */
export class ProfileQueries {
  private readonly statements: Statements<typeof sql>

  constructor(
    db: Database,
    private readonly logs: EntityLogs,
  ) {
    this.statements = prepareAll(db, sql)
  }

  profile(entity: number): Omit<EntityProfile, 'segments' | 'segmentsBuilding'> | undefined {
    const row = this.statements.profile.get(entity)
    if (row === undefined) return undefined
    const values = valuesIn(row)
    const { eventCount, voided } = logHeadIn(values[7], bytesIn(values[8]))
    return { ...listedIn(values, picking(undefined)), eventCount: eventCount - voided }
  }

  /** Returns the entity's id, which is the id of the fact that created it. */
  idOf(entity: number): string | undefined {
    const row = this.statements.id.get(entity)
    return row === undefined ? undefined : String(valuesIn(row)[0])
  }

  /** Returns the number and the external id of the entity with this id. */
  ownerById(
    entityId: string,
  ):
    | { readonly entity: number; readonly entityId: string; readonly externalId: string }
    | undefined {
    const row = this.statements.owner.get(entityId)
    if (row === undefined) return undefined
    const [entity, externalId] = valuesIn(row)
    return { entity: Number(entity), entityId, externalId: String(externalId) }
  }

  full(): FullProfiles {
    const ids = this.statements.full.all(maxFullProfiles + 1).map((row) => String(valuesIn(row)[0]))
    return ids.length > maxFullProfiles ? 'many' : ids
  }

  entities(query: QueryOf<'entities'>): InPieces<Part<ListedEntity, number>> {
    const { after = 0, limit, properties, withLastEvent = false } = query
    if (withLastEvent) this.logs.pending.write()
    const { entities, entitiesWithEvents } = this.statements
    const statement = withLastEvent ? entitiesWithEvents : entities
    const read = (last: number, most: number) => statement.all(last, most)
    const page = rowsOfPage({ read, limit, after, cursorOf: entityIn, jsonOf: sizeOf(properties) })
    return listedPage(page, properties)
  }

  /** Lists entities by external id, in the order of code points, which is the order of their UTF-8 bytes. */
  entitiesByName(query: QueryOf<'entitiesByName'>): InPieces<Part<ListedEntity, string>> {
    const { startsWith, after = '', limit, properties } = query
    const { byName } = this.statements
    const end = afterPrefix(startsWith)
    const read = (last: string, most: number) =>
      byName.all(last === '' ? startsWith : last, last, end, most)
    const cursorOf = ([, externalId]: readonly unknown[]) => String(externalId)
    const page = rowsOfPage({ read, limit, after, cursorOf, jsonOf: sizeOf(properties) })
    return listedPage(page, properties)
  }

  *entitiesByProperty({
    pointer,
    text,
    after = 0,
    limit,
    properties,
  }: QueryOf<'entitiesByProperty'>): InPieces<Part<ListedEntity, number>> {
    const steps = parsePointer(pointer)
    const key = propertyKey(pointer, text)
    const pick = picking(properties)
    const jsonOf = sizeOf(properties)
    const read = (last: number, most: number) => this.statements.byProperty.all(key, last, most)
    for (let last = after; ;) {
      const { rows, next } = rowsOfPage({ read, limit, after: last, cursorOf: entityIn, jsonOf })
      const found: ListedEntity[] = []
      for (const row of rows) {
        if (valueAt(objectIn(String(row[3])), steps) === text) found.push(listedIn(row, pick))
        yield
      }
      // Reads the next page if no entity of this page has the searched text. The index returns such entities
      // because other texts have the same key.
      if (found.length > 0 || next === undefined) return { items: found, next }
      last = next
    }
  }

  entityById({ entityId, properties }: QueryOf<'entityById'>): ListedEntity | undefined {
    const row = this.statements.entityById.get(entityId)
    return row === undefined ? undefined : listedIn(valuesIn(row), picking(properties))
  }

  /** Lists the entities with the latest events. Entities without events are omitted. */
  *entitiesByLastEvent({
    limit,
    properties,
  }: QueryOf<'entitiesByLastEvent'>): InPieces<Part<ListedEntity, number>> {
    const { id, oneWithEvents } = this.statements
    this.logs.pending.write()
    const exists = (entity: number) => id.get(entity) !== undefined
    const latest = yield* this.logs.latest.newest(limit, exists)
    const pick = picking(properties)
    const jsonOf = sizeOf(properties)
    const size = new PageSize()
    const items: ListedEntity[] = []
    for (const entity of latest) {
      if (size.isFull) break
      const row = oneWithEvents.get(entity)
      // Skips an entity that was erased after the list was made.
      if (row === undefined) continue
      const values = valuesIn(row)
      size.add(jsonOf(values))
      items.push(listedIn(values, pick))
      yield
    }
    return { items, next: undefined }
  }
}

/** Returns a page with the parsed rows. Each row is parsed in a separate piece of work. */
function* listedPage<Cursor>(
  {
    rows,
    next,
  }: {
    readonly rows: readonly (readonly unknown[])[]
    readonly next: Cursor | undefined
  },
  properties: readonly string[] | undefined,
): InPieces<Part<ListedEntity, Cursor>> {
  const pick = picking(properties)
  const items: ListedEntity[] = []
  for (const row of rows) {
    items.push(listedIn(row, pick))
    yield
  }
  return { items, next }
}

/**
 * Returns a function that returns a text as large as an item of the page: the whole profile, which is read, and
 * the pointers, which each item repeats.
 */
function sizeOf(pointers: readonly string[] | undefined) {
  const names = pointers?.join() ?? ''
  return ([, , , properties]: readonly unknown[]) => `${String(properties)}${names}`
}

/** A value that sorts after all text in SQLite. SQLite sorts every blob after all text. */
const afterAllText = new Uint8Array(1)

/**
 * Returns the lowest text, in the order of code points, that sorts after all texts that start with `prefix`.
 */
function afterPrefix(prefix: string): SqlValue {
  const characters = Array.from(prefix)
  for (;;) {
    const last = characters.pop()?.codePointAt(0)
    if (last === undefined) return afterAllText
    if (last === 0x10ffff) continue
    // Skips the surrogates, which are not characters.
    const next = last === 0xd7ff ? 0xe000 : last + 1
    return characters.join('') + String.fromCodePoint(next)
  }
}

const entityIn = ([entity]: readonly unknown[]) => Number(entity)

const columns = listedColumns

const sql = {
  profile: `SELECT ${columns}, ${countsColumns}
       FROM entities JOIN entity_logs USING (entity) WHERE entity = ?`,
  full: 'SELECT external_id FROM entities WHERE is_full = 1 LIMIT ?',
  entities: `SELECT ${columns} FROM entities WHERE entity > ? ORDER BY entity LIMIT ?`,
  entitiesWithEvents: `SELECT ${columns}, last_event_at
       FROM entities CROSS JOIN entity_logs USING (entity) WHERE entity > ? ORDER BY entity LIMIT ?`,
  oneWithEvents: `SELECT ${columns}, last_event_at
       FROM entities JOIN entity_logs USING (entity) WHERE entity = ?`,
  byName: `SELECT ${columns} FROM entities
       WHERE external_id >= ? AND external_id <> ? AND external_id < ?
       ORDER BY external_id LIMIT ?`,
  byProperty: `SELECT ${columns} FROM property_texts CROSS JOIN entities USING (entity)
       WHERE key = ? AND entity > ? ORDER BY entity LIMIT ?`,
  id: 'SELECT entity_id FROM entities WHERE entity = ?',
  owner: 'SELECT entity, external_id FROM entities WHERE entity_id = ?',
  entityById: `SELECT ${columns} FROM entities WHERE entity_id = ?`,
}
