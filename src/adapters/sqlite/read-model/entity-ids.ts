import { StreamIdCache } from '../append/stream-id-cache.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numberIn } from '../file/row.js'

/** Finds the number of an entity, which is the position of its creation. */
export class EntityIds {
  private readonly recent = new StreamIdCache()
  private readonly find: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT entity FROM entities WHERE external_id = ?')
  }

  of(externalId: string): number | undefined {
    const recent = this.recent.idOf(externalId)
    if (recent !== undefined) return recent
    const found = numberIn(this.find.get(externalId))
    if (found !== undefined) this.recent.add(externalId, found)
    return found
  }

  add(externalId: string, entity: number): void {
    this.recent.add(externalId, entity)
  }
}
