import type {
  EntityProfile,
  FullProfiles,
  ListedEntity,
  Part,
  Queries,
} from '../../../../application/reading/ports/read-model.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import { JsonText } from '../../../../domain/json-text.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { bytesIn, numberIn, valuesIn } from '../../file/row.js'
import { timestampIn } from '../columns.js'
import { countsColumn, logHeadIn } from '../entity-log/log-head.js'
import { PageSize } from './page-size.js'

/** Full profiles that are named, at most: they go with each status between threads. */
export const maxFullProfiles = 100

/** Profiles and lists of entities, as they are. */
export class ProfileQueries {
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
  }

  profile(entity: number): Omit<EntityProfile, 'segments' | 'segmentsBuilding'> | undefined {
    const row = this.statements.profile.get(entity)
    if (row === undefined) return undefined
    const values = valuesIn(row)
    const { eventCount, latestAt } = logHeadIn(bytesIn(values[5]))
    const lastEventAt = eventCount === 0 ? undefined : timestampIn(latestAt)
    return { ...listedIn(values), eventCount, lastEventAt }
  }

  full(): FullProfiles {
    const ids = this.statements.full.all(maxFullProfiles + 1).map((row) => String(valuesIn(row)[0]))
    return ids.length > maxFullProfiles ? 'many' : ids
  }

  /** Whether it is marked as one that takes no more properties. */
  isFull(externalId: string): boolean {
    return numberIn(this.statements.isFull.get(externalId)) === 1
  }

  /** All of it from one state: the rows are read at once, and then parsed. */
  *entities({
    after = 0,
    limit,
  }: Queries['entities']['query']): InPieces<Part<ListedEntity, number>> {
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

  entityById({ entityId }: Queries['entityById']['query']): ListedEntity | undefined {
    const row = this.statements.entityById.get(entityId)
    return row === undefined ? undefined : listedIn(valuesIn(row))
  }
}

const columns = 'external_id, entity_id, properties, created_at, updated_at'

function prepare(db: Database) {
  return {
    profile: prepareRows(
      db,
      `SELECT ${columns}, ${countsColumn}
       FROM entities JOIN entity_logs USING (entity) WHERE entity = ?`,
    ),
    isFull: prepareRows(db, 'SELECT is_full FROM entities WHERE external_id = ?'),
    full: prepareRows(db, 'SELECT external_id FROM entities WHERE is_full = 1 LIMIT ?'),
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
    properties: new JsonText(String(properties)),
    createdAt: timestampIn(createdAt),
    updatedAt: timestampIn(updatedAt),
  }
}
