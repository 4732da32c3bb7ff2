import type { ListedEntity, Part, Queries } from '../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../domain/in-pieces.js'
import type { Profile } from '../../../domain/profile.js'
import { prepareRows, type Database } from '../file/driver.js'
import { numberIn, valuesIn } from '../file/row.js'
import { objectIn, timestampIn } from './columns.js'
import type { Activity } from './entity-log/entity-logs.js'
import { PageSize } from './page-size.js'

/** Profiles and lists of entities, as they are. */
export class ProfileQueries {
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
  }

  profile(entity: number, { eventCount, latestAt }: Activity): Profile | undefined {
    const row = this.statements.profile.get(entity)
    if (row === undefined) return undefined
    const lastEventAt = eventCount === 0 ? undefined : timestampIn(latestAt)
    return { ...listedIn(valuesIn(row)), eventCount, lastEventAt }
  }

  isFull({ externalId }: Queries['isFull']['ask']): boolean {
    return numberIn(this.statements.isFull.get(externalId)) === 1
  }

  hasFull(): boolean {
    return this.statements.someFull.get() !== undefined
  }

  /** All of it from one state: the rows are read at once, and then parsed. */
  *entities({
    after = 0,
    limit,
  }: Queries['entities']['ask']): InPieces<Part<ListedEntity, number>> {
    const { rows, next } = this.rowsOfPage(after, limit)
    const items: ListedEntity[] = []
    for (const row of rows) {
      items.push(listedIn(row))
      yield
    }
    return { items, next }
  }

  private rowsOfPage(after: number, limit: number) {
    const rows: (readonly unknown[])[] = []
    const size = new PageSize()
    let last = after
    for (;;) {
      const most = size.rowsAtOnce
      const read = this.statements.entities.all(last, most).map(valuesIn)
      for (const row of read) {
        if (rows.length === limit || size.isFull) return { rows, next: last }
        rows.push(row)
        size.add(String(row[2]))
        last = Number(row[5])
      }
      if (read.length < most) return { rows, next: undefined }
    }
  }

  entityById({ entityId }: Queries['entityById']['ask']): ListedEntity | undefined {
    const row = this.statements.entityById.get(entityId)
    return row === undefined ? undefined : listedIn(valuesIn(row))
  }
}

const columns = 'external_id, entity_id, properties, created_at, updated_at'

function prepare(db: Database) {
  return {
    profile: prepareRows(db, `SELECT ${columns} FROM entities WHERE entity = ?`),
    isFull: prepareRows(db, 'SELECT is_full FROM entities WHERE external_id = ?'),
    someFull: prepareRows(db, 'SELECT 1 FROM entities WHERE is_full = 1 LIMIT 1'),
    entities: prepareRows(
      db,
      `SELECT ${columns}, entity FROM entities WHERE entity > ? ORDER BY entity LIMIT ?`,
    ),
    entityById: prepareRows(db, `SELECT ${columns}, entity FROM entities WHERE entity_id = ?`),
  }
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
