import type { ListedEntity, Part, Queries } from '../../../application/reading/ports/read-model.js'
import type { Profile } from '../../../domain/profile.js'
import { prepareRows, type Database } from '../file/driver.js'
import { numberIn, valuesIn } from '../file/row.js'
import { objectIn, timestampIn } from './columns.js'

/** Rows are read a few at a time, and a page ends at so many characters of properties. */
const rowsAtOnce = 32
const maxCharacters = 4_194_304

/** Profiles and lists of entities, as they are. */
export class ProfileQueries {
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
  }

  profile({ externalId }: Queries['profile']['ask']): Profile | undefined {
    const row = this.statements.profile.get(externalId)
    return row === undefined ? undefined : profileIn(row)
  }

  isFull({ externalId }: Queries['isFull']['ask']): boolean {
    return numberIn(this.statements.isFull.get(externalId)) === 1
  }

  hasFull(): boolean {
    return this.statements.someFull.get() !== undefined
  }

  entities({ after = 0, limit }: Queries['entities']['ask']): Part<ListedEntity, number> {
    const items: ListedEntity[] = []
    let last = after
    let characters = 0
    for (;;) {
      const rows = this.statements.entities.all(last, rowsAtOnce)
      for (const row of rows) {
        if (items.length === limit || characters > maxCharacters) return { items, next: last }
        const { entity, number, size } = numberedEntityIn(row)
        items.push(entity)
        last = number
        characters += size
      }
      if (rows.length < rowsAtOnce) return { items, next: undefined }
    }
  }

  entityById({ entityId }: Queries['entityById']['ask']): ListedEntity | undefined {
    const row = this.statements.entityById.get(entityId)
    return row === undefined ? undefined : numberedEntityIn(row).entity
  }
}

const columns = 'external_id, entity_id, properties, created_at, updated_at'

function prepare(db: Database) {
  return {
    profile: prepareRows(
      db,
      `SELECT ${columns}, event_count, last_event_at
       FROM entities JOIN activity USING (entity) WHERE external_id = ?`,
    ),
    isFull: prepareRows(db, 'SELECT is_full FROM entities WHERE external_id = ?'),
    someFull: prepareRows(db, 'SELECT 1 FROM entities WHERE is_full = 1 LIMIT 1'),
    entities: prepareRows(
      db,
      `SELECT ${columns}, entity FROM entities WHERE entity > ? ORDER BY entity LIMIT ?`,
    ),
    entityById: prepareRows(db, `SELECT ${columns}, entity FROM entities WHERE entity_id = ?`),
  }
}

function profileIn(row: unknown): Profile {
  const values = valuesIn(row)
  const [, , , , , eventCount, lastEventAt] = values
  const count = Number(eventCount)
  return {
    ...listedIn(values),
    eventCount: count,
    lastEventAt: count === 0 ? undefined : timestampIn(lastEventAt),
  }
}

function numberedEntityIn(row: unknown) {
  const values = valuesIn(row)
  return { entity: listedIn(values), number: Number(values[5]), size: String(values[2]).length }
}

function listedIn([externalId, entityId, properties, createdAt, updatedAt]: readonly unknown[]) {
  return {
    externalId: String(externalId),
    entityId: String(entityId),
    properties: objectIn(String(properties)),
    createdAt: timestampIn(createdAt),
    updatedAt: timestampIn(updatedAt),
  }
}
