import { flatEvent } from '../../../../application/facts/lazy-event.js'
import type { EffectOf } from '../../../../domain/facts.js'
import type { Json, JsonObject } from '../../../../domain/json.js'
import { maxPointers, pointersOf } from '../../../../domain/property-types.js'
import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import { numberIn, numbersIn, valuesIn } from '../../file/row.js'
import { countedDay, maxNames, profilesId } from './dictionary-tables.js'
import { addEntry, PendingEvents, PendingPointers, type TypeCounts } from './pending-counts.js'

type Event = EffectOf<'event'>['event']

/** The most characters of pending counts, approximately. */
const maxCharacters = 1_048_576
/** The most event names whose pending counts and shapes stay in memory after they are written. */
const maxPendingNames = 500

/** A row of `dictionary_names`. */
interface CountedName {
  readonly id: number
  count: number
  pointers: number
  isFull: boolean
}

/**
 * The dictionary: the names of events and properties, with counts by day and by JSON type.
 * - Input: the creations, events and profiles of existing entities. When an entity is erased, the input is its
 *   facts again, to subtract them.
 * - Stored: the tables of `dictionary-tables.ts`. Each count is a sum over facts. The amount that a fact adds
 *   depends on that fact alone, so an erasure can subtract the same amount.
 * - Output: `queries/dictionary-queries.ts`.
 *
 * Differences stay in memory (`pending-counts.ts`) until the commit, which writes each row once.
 */
export class Dictionary {
  /** A number that grows when rows change. */
  version = 0
  private readonly statements: Statements<typeof sql>
  private readonly events = new Map<string, PendingEvents>()
  private readonly size = { characters: 0 }
  private readonly profiles = new PendingPointers(this.size)
  private readonly totals = new Map<number, { people: number; events: number }>()
  private areProfilesCut = false
  private hasPending = false
  private stored: StoredNames | undefined

  constructor(private readonly db: Database) {
    this.statements = prepareAll(db, sql)
  }

  /** Returns whether the pending counts should be written before more facts are counted. */
  get isLarge(): boolean {
    return this.size.characters > maxCharacters
  }

  addEntity(at: number): void {
    this.total(countedDay(at)).people += 1
  }

  removeEntity(at: number): void {
    this.total(countedDay(at)).people -= 1
  }

  /** Counts an event. `at` is the instant in its log entry. */
  addEvent(event: Event, at: number): void {
    const day = countedDay(at)
    this.total(day).events += 1
    this.pendingOf(event.name).add(day, flatEvent(event), () => event.properties)
  }

  /** Subtracts an event that `addEvent` counted. */
  removeEvent({ name, properties }: Event, at: number): void {
    const day = countedDay(at)
    this.total(day).events -= 1
    this.pendingOf(name).remove(day, properties)
  }

  addProfile(properties: JsonObject): void {
    for (const [name, value] of Object.entries(properties)) this.property(name, value, 1)
  }

  removeProfile(properties: JsonObject): void {
    for (const [name, value] of Object.entries(properties)) this.property(name, value, -1)
  }

  /** Counts the change of a profile. `before` and `after` must contain the same object for an unchanged value. */
  changeProfile(before: JsonObject, after: ReadonlyMap<string, Json>): void {
    for (const [name, value] of Object.entries(before)) {
      if (after.get(name) !== value) this.property(name, value, -1)
    }
    for (const [name, value] of after) {
      const was = Object.hasOwn(before, name) ? before[name] : undefined
      if (was !== value) this.property(name, value, 1)
    }
  }

  private property(name: string, value: Json, difference: number): void {
    this.hasPending = true
    const pointers = pointersOf(name, value)
    this.areProfilesCut ||= pointers.length > maxPointers
    this.profiles.add(pointers, difference)
  }

  private pendingOf(name: string): PendingEvents {
    let pending = this.events.get(name)
    if (pending === undefined) {
      pending = new PendingEvents(this.size)
      this.events.set(name, pending)
      addEntry(this.size, name)
    }
    return pending
  }

  private total(day: number): { people: number; events: number } {
    this.hasPending = true
    let total = this.totals.get(day)
    if (total === undefined) {
      total = { people: 0, events: 0 }
      this.totals.set(day, total)
      addEntry(this.size, '')
    }
    return total
  }

  /** Removes all counts of events. The caller counts the events again. */
  clearEvents(): void {
    this.write()
    this.events.clear()
    this.stored = undefined
    this.version += 1
    this.db.exec(clearedEvents)
  }

  /** Writes the pending counts. Call it before a commit, and before rows are read. */
  write(): void {
    if (!this.hasPending) return
    this.hasPending = false
    this.version += 1
    this.stored ??= new StoredNames(this.db)
    for (const [name, pending] of this.events) this.writeEvents(name, pending, this.stored)
    if (this.events.size > maxPendingNames) this.events.clear()
    this.writeProfiles(this.stored)
    for (const [day, { people, events }] of this.totals) this.writeTotal(day, people, events)
    this.totals.clear()
    this.size.characters = 0
  }

  private writeEvents(name: string, pending: PendingEvents, stored: StoredNames): void {
    if (pending.days.size === 0) return
    pending.takeShapes()
    const counted = stored.find(name, pending.count > 0)
    if (counted !== undefined) {
      for (const [day, difference] of pending.days) this.writeDay(counted.id, day, difference)
      counted.count += pending.count
      this.writePointers(counted, pending.pointers)
      counted.isFull ||= pending.isCut
      stored.write(name, counted)
    }
    pending.clear()
  }

  private writeProfiles(stored: StoredNames): void {
    const counted = stored.profiles
    this.writePointers(counted, this.profiles)
    counted.isFull ||= this.areProfilesCut
    stored.writeProfiles()
    this.profiles.counts.clear()
    this.areProfilesCut = false
  }

  private writeDay(id: number, day: number, difference: number): void {
    if (difference === 0) return
    const count = numberIn(this.statements.addDay.get(id, day, difference))
    if (count === 0) this.statements.removeDay.run(id, day)
  }

  private writeTotal(day: number, people: number, events: number): void {
    if (people === 0 && events === 0) return
    const [allPeople, allEvents] = numbersIn(this.statements.addTotal.get(day, people, events))
    if (allPeople === 0 && allEvents === 0) this.statements.removeTotal.run(day)
  }

  private writePointers(counted: CountedName, { counts }: PendingPointers): void {
    const known = counts.size > maxPointers ? this.pointersOf(counted.id) : undefined
    for (const [pointer, differences] of counts) {
      // Runs no statement for a pointer that is left out, because one profile may have thousands of such pointers.
      const isLeftOut = counted.isFull && known?.has(pointer) === false
      if (!isLeftOut && differences.some((difference) => difference !== 0)) {
        this.writePointer(counted, pointer, differences)
      }
    }
  }

  private pointersOf(id: number): ReadonlySet<string> {
    return new Set(this.statements.pointers.all(id).map((row) => String(valuesIn(row)[0])))
  }

  private writePointer(counted: CountedName, pointer: string, differences: TypeCounts): void {
    const { addToPointer, insertPointer, removePointer } = this.statements
    const { id } = counted
    const count = numberIn(addToPointer.get(...differences, id, pointer))
    if (count === 0) {
      removePointer.run(id, pointer)
      counted.pointers -= 1
    }
    // Subtracts nothing from a pointer that was left out.
    if (count !== undefined || differences.every((difference) => difference <= 0)) return
    counted.isFull ||= counted.pointers >= maxPointers
    if (counted.isFull) return
    insertPointer.run(id, pointer, ...differences)
    counted.pointers += 1
  }
}

/** The rows of `dictionary_names`. They are kept in memory, because each commit needs many of them. */
class StoredNames {
  readonly profiles: CountedName = { id: profilesId, count: 0, pointers: 0, isFull: false }
  private readonly statements: Statements<typeof nameSql>
  private readonly names = new Map<string, CountedName>()
  private lastId = profilesId
  private isFull: boolean

  constructor(db: Database) {
    this.statements = prepareAll(db, nameSql)
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

  /**
   * Returns the row of an event name. If `adds` is true, adds a missing row. Returns undefined for a name that is
   * left out. After one name was left out, no name is added any more, because the count of a name that is added
   * late would be wrong.
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

const nameSql = {
  all: 'SELECT id, name, count, pointers, is_full FROM dictionary_names',
  isFull: 'SELECT is_full FROM dictionary_state',
  setFull: 'UPDATE dictionary_state SET is_full = 1',
  insert: 'INSERT INTO dictionary_names VALUES (?, ?, 0, 0, 0)',
  set: 'UPDATE dictionary_names SET count = ?, pointers = ?, is_full = ? WHERE id = ?',
  remove: 'DELETE FROM dictionary_names WHERE id = ?',
}

const clearedEvents = `
  DELETE FROM dictionary_days;
  DELETE FROM dictionary_pointers WHERE name_id > ${String(profilesId)};
  DELETE FROM dictionary_names WHERE id > ${String(profilesId)};
  UPDATE dictionary_totals SET events = 0;
  DELETE FROM dictionary_totals WHERE people = 0;
  UPDATE dictionary_state SET is_full = 0;`

const sql = {
  addDay: `INSERT INTO dictionary_days VALUES (?, ?, ?)
           ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count`,
  removeDay: 'DELETE FROM dictionary_days WHERE name_id = ? AND day = ?',
  addTotal: `INSERT INTO dictionary_totals VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET people = people + excluded.people,
               events = events + excluded.events
             RETURNING people, events`,
  removeTotal: 'DELETE FROM dictionary_totals WHERE day = ?',
  addToPointer: `UPDATE dictionary_pointers SET strings = strings + ?, numbers = numbers + ?,
                   booleans = booleans + ?, nulls = nulls + ?, objects = objects + ?, arrays = arrays + ?
                 WHERE name_id = ? AND pointer = ?
                 RETURNING strings + numbers + booleans + nulls + objects + arrays`,
  insertPointer: 'INSERT INTO dictionary_pointers VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  pointers: 'SELECT pointer FROM dictionary_pointers WHERE name_id = ?',
  removePointer: 'DELETE FROM dictionary_pointers WHERE name_id = ? AND pointer = ?',
}
