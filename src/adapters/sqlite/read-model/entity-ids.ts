import { StreamIdCache } from '../append/stream-id-cache.js'
import { prepareRows, type Database, type Statement } from '../file/driver.js'
import { numberIn } from '../file/row.js'

/** Finds the number of an entity, which is the position of its creation. */
export class EntityIds {
  private readonly recent = new StreamIdCache()
  /** Of entities that are in no table yet. */
  private readonly unwritten = new Map<string, number>()
  private readonly find: Statement

  constructor(db: Database) {
    this.find = prepareRows(db, 'SELECT entity FROM entities WHERE external_id = ?')
  }

  of(externalId: string): number | undefined {
    const known = this.recent.idOf(externalId) ?? this.unwritten.get(externalId)
    if (known !== undefined) return known
    const found = numberIn(this.find.get(externalId))
    if (found !== undefined) this.recent.add(externalId, found)
    return found
  }

  /** To be found before it is written. */
  add(externalId: string, entity: number): void {
    this.recent.add(externalId, entity)
    this.unwritten.set(externalId, entity)
  }

  /** All that were added are in the table. */
  written(): void {
    this.unwritten.clear()
  }
}
