import type {
  EntityProfile,
  FullProfiles,
  ListedEntity,
  Part,
  QueryOf,
} from '../../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { JsonText } from '../../../../domain/json.js'
import { parsePointer, valueAt } from '../../../../domain/segments/rule/pointer.js'
import { type Database, type SqlValue, prepareAll, type Statements } from '../../file/driver.js'
import { bytesIn, valuesIn, timestampIn } from '../../file/row.js'
import { countsColumn, logHeadIn } from '../entity-log/log-blocks.js'
import { propertyKey } from '../property-index.js'
import { rowsOfPage } from './page-size.js'

/**
 * The most full profiles that the status lists. The list is short because each status is sent to another
 * thread.
 */
const maxFullProfiles = 100

/** Answers queries for current profiles and for lists of entities. */
export class ProfileQueries {
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
  }

  profile(entity: number): Omit<EntityProfile, 'segments' | 'segmentsBuilding'> | undefined {
    const row = this.statements.profile.get(entity)
    if (row === undefined) return undefined
    const values = valuesIn(row)
    const { eventCount, latestAt } = logHeadIn(bytesIn(values[6]))
    const lastEventAt = eventCount === 0 ? undefined : timestampIn(latestAt)
    return { ...listedIn(values), eventCount, lastEventAt }
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

  entities({ after = 0, limit }: QueryOf<'entities'>): InPieces<Part<ListedEntity, number>> {
    const read = (last: number, most: number) => this.statements.entities.all(last, most)
    return listedPage(rowsOfPage({ read, limit, after, cursorOf: entityIn, jsonOf }))
  }

  /** Lists entities by external id, in the order of code points, which is the order of their UTF-8 bytes. */
  entitiesByName({
    startsWith,
    after = '',
    limit,
  }: QueryOf<'entitiesByName'>): InPieces<Part<ListedEntity, string>> {
    const { byName } = this.statements
    const end = afterPrefix(startsWith)
    const read = (last: string, most: number) =>
      byName.all(last === '' ? startsWith : last, last, end, most)
    const cursorOf = ([, externalId]: readonly unknown[]) => String(externalId)
    return listedPage(rowsOfPage({ read, limit, after, cursorOf, jsonOf }))
  }

  *entitiesByProperty({
    pointer,
    text,
    after = 0,
    limit,
  }: QueryOf<'entitiesByProperty'>): InPieces<Part<ListedEntity, number>> {
    const steps = parsePointer(pointer)
    const key = propertyKey(pointer, text)
    const read = (last: number, most: number) => this.statements.byProperty.all(key, last, most)
    for (let last = after; ;) {
      const page = rowsOfPage({ read, limit, after: last, cursorOf: entityIn, jsonOf })
      const { items, next } = yield* listedPage(page)
      const found: ListedEntity[] = []
      for (const item of items) {
        if (valueAt(item.properties.value, steps) === text) found.push(item)
        yield
      }
      // Reads the next page if no entity of this page has the searched text. The index returns such entities
      // because other texts have the same key.
      if (found.length > 0 || next === undefined) return { items: found, next }
      last = next
    }
  }

  entityById({ entityId }: QueryOf<'entityById'>): ListedEntity | undefined {
    const row = this.statements.entityById.get(entityId)
    return row === undefined ? undefined : listedIn(valuesIn(row))
  }
}

/** Returns a page with the parsed rows. Each row is parsed in a separate piece of work. */
function* listedPage<Cursor>({
  rows,
  next,
}: {
  readonly rows: readonly (readonly unknown[])[]
  readonly next: Cursor | undefined
}): InPieces<Part<ListedEntity, Cursor>> {
  const items: ListedEntity[] = []
  for (const row of rows) {
    items.push(listedIn(row))
    yield
  }
  return { items, next }
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
const jsonOf = ([, , , properties]: readonly unknown[]) => String(properties)

const columns = 'entity, external_id, entity_id, properties, created_at, updated_at'

const sql = {
  profile: `SELECT ${columns}, ${countsColumn}
       FROM entities JOIN entity_logs USING (entity) WHERE entity = ?`,
  full: 'SELECT external_id FROM entities WHERE is_full = 1 LIMIT ?',
  entities: `SELECT ${columns} FROM entities WHERE entity > ? ORDER BY entity LIMIT ?`,
  byName: `SELECT ${columns} FROM entities
       WHERE external_id >= ? AND external_id <> ? AND external_id < ?
       ORDER BY external_id LIMIT ?`,
  byProperty: `SELECT ${columns} FROM property_texts CROSS JOIN entities USING (entity)
       WHERE key = ? AND entity > ? ORDER BY entity LIMIT ?`,
  id: 'SELECT entity_id FROM entities WHERE entity = ?',
  owner: 'SELECT entity, external_id FROM entities WHERE entity_id = ?',
  entityById: `SELECT ${columns} FROM entities WHERE entity_id = ?`,
}

function listedIn(row: readonly unknown[]): ListedEntity {
  const [, externalId, entityId, properties, createdAt, updatedAt] = row
  return {
    externalId: String(externalId),
    entityId: String(entityId),
    properties: new JsonText(String(properties)),
    createdAt: timestampIn(createdAt),
    updatedAt: timestampIn(updatedAt),
  }
}
