import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import { numberIn, valuesIn } from '../../file/row.js'
import { maxNames, profilesId } from './dictionary-tables.js'

/** A row of `dictionary_names`. */
export interface CountedName {
  readonly id: number
  count: number
  pointers: number
  isFull: boolean
}

/** The rows of `dictionary_names`. They are kept in memory, because each commit needs many of them. */
export class StoredNames {
  readonly profiles: CountedName = { id: profilesId, count: 0, pointers: 0, isFull: false }
  private readonly statements: Statements<typeof sql>
  private readonly names = new Map<string, CountedName>()
  private lastId = profilesId
  /** True after an event name was left out. */
  isFull: boolean

  constructor(db: Database) {
    this.statements = prepareAll(db, sql)
    for (const row of this.statements.all.all()) {
      const [id, name, count, pointers, isFull] = valuesIn(row)
      const counted = {
        id: Number(id),
        count: Number(count),
        pointers: Number(pointers),
        isFull: isFull === 1,
      }
      this.lastId = Math.max(this.lastId, counted.id)
      if (counted.id === profilesId) this.profiles = counted
      else this.names.set(String(name), counted)
    }
    this.isFull = numberIn(this.statements.isFull.get()) === 1
  }

  /** The number of event names that are counted. */
  get count(): number {
    return this.names.size
  }

  /**
   * Returns the row of an event name. If `adds` is true, adds a missing row. Returns undefined for a name that is
   * left out. After one name was left out, no name is added any more: the count of a name that was left out for
   * a while would be wrong.
   */
  find(name: string, adds: boolean): CountedName | undefined {
    const found = this.names.get(name)
    if (found !== undefined || !adds) return found
    if (!this.isFull && this.names.size >= maxNames) {
      this.isFull = true
      this.statements.setFull.run()
    }
    if (this.isFull) return undefined
    this.lastId += 1
    const added = { id: this.lastId, count: 0, pointers: 0, isFull: false }
    this.names.set(name, added)
    this.statements.insert.run(added.id, name)
    return added
  }

  /** Writes the row of an event name. Deletes the row of a name without events. */
  write(name: string, { id, count, pointers, isFull }: CountedName): void {
    if (count > 0) {
      this.statements.set.run(count, pointers, Number(isFull), id)
      return
    }
    this.statements.remove.run(id)
    this.names.delete(name)
  }

  writeProfiles(): void {
    const { id, count, pointers, isFull } = this.profiles
    this.statements.set.run(count, pointers, Number(isFull), id)
  }
}

const sql = {
  all: 'SELECT id, name, count, pointers, is_full FROM dictionary_names',
  isFull: 'SELECT is_full FROM dictionary_state',
  setFull: 'UPDATE dictionary_state SET is_full = 1',
  insert: 'INSERT INTO dictionary_names VALUES (?, ?, 0, 0, 0)',
  set: 'UPDATE dictionary_names SET count = ?, pointers = ?, is_full = ? WHERE id = ?',
  remove: 'DELETE FROM dictionary_names WHERE id = ?',
}
