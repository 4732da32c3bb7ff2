import type { EffectOf } from '../../../../domain/facts.js'
import type { PlacedEvent } from '../../../../domain/segments/membership/conditions.js'
import { prepareAll, type Database, type Statements } from '../../file/driver.js'
import type { FactReader } from '../../file/fact-reader.js'
import { numbersIn, valuesIn } from '../../file/row.js'
import type { Entry } from '../entity-log/block.js'
import { eventIn } from '../entity-log/entity-events.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import { firstEventKind } from '../fact-kinds.js'
import type { Slice } from '../slice.js'
import type { Dictionary } from './dictionary.js'

interface CountedTables {
  readonly db: Database
  readonly facts: Pick<FactReader, 'stored'>
  readonly logs: EntityLogs
  readonly dictionary: Dictionary
}

/**
 * The progress of a recount. The events up to the position `until` are counted again, one entity after another. The
 * last counted fact is at `position` and belongs to `entity`. After the last event of an entity, `position` is
 * equal to `until`.
 */
interface RecountPlace {
  readonly until: number
  readonly entity: number
  readonly position: number
}

interface CountedEvent {
  readonly entry: Entry
  /** Undefined when the store has removed the fact. */
  readonly event: EffectOf<'event'>['event'] | undefined
}

const eventsAtOnce = 64
const entitiesAtOnce = 64

/**
 * Counts events again, or subtracts events of an erased entity from the dictionary. A subtraction needs the facts.
 * If the read model is from a back-up, the store may have removed the facts already. The amounts to subtract are
 * then unknown, so all events are counted again, in slices.
 */
export class EventRecount {
  private place: RecountPlace | undefined
  private readonly statements: Statements<typeof sql>

  constructor(private readonly tables: CountedTables) {
    this.statements = prepareAll(tables.db, sql)
    const [until, entity, position] = valuesIn(this.statements.place.get())
    if (until === null) return
    this.place = { until: Number(until), entity: Number(entity), position: Number(position) }
  }

  get isIdle(): boolean {
    return this.place === undefined
  }

  /** Subtracts events whose facts are about to be removed. `head` is the position of the last applied fact. */
  subtract(entity: number, entries: readonly Entry[], head: number): void {
    const counted = this.countedIn(entity, entries).filter((entry) => this.isCounted(entity, entry))
    const events = this.read(counted)
    if (events.some(({ event }) => event === undefined)) {
      this.begin(head)
      return
    }
    for (const { entry, event } of events) {
      if (event !== undefined) this.tables.dictionary.removeEvent(event, entry.at)
    }
  }

  /**
   * Subtracts an event that was voided, unless the running recount has yet to reach the event. The recount skips
   * voided events.
   */
  subtractVoided(entity: number, position: number, { event, at }: PlacedEvent): void {
    if (this.isCounted(entity, { position })) this.tables.dictionary.removeEvent(event, at)
  }

  /** Counts events until the slice ends. */
  step(slice: Slice): void {
    const { place } = this
    if (place === undefined) return
    const { until, entity: last, position } = place
    // Includes the entity `last` again while some of its events are not counted.
    const rows = this.statements.entities.all(position < until ? last - 1 : last, until)
    for (const row of rows) {
      const [entity = 0] = numbersIn(row)
      if (this.countEntity(entity, place, slice)) return
    }
    if (rows.length < entitiesAtOnce) this.setPlace(undefined)
  }

  /** Counts the events of an entity after `place`. Returns true when the slice has ended. */
  private countEntity(entity: number, place: RecountPlace, slice: Slice): boolean {
    const { until } = place
    let some: Entry[] = []
    for (const entry of this.tables.logs.after(
      entity,
      entity === place.entity ? place.position : 0,
    )) {
      if (entry.position > until) break
      some.push(entry)
      if (some.length < eventsAtOnce) continue
      this.count(entity, some)
      this.setPlace({ until, entity, position: entry.position })
      if (slice.endsHere()) return true
      some = []
    }
    this.count(entity, some)
    this.setPlace({ until, entity, position: until })
    return slice.endsHere()
  }

  private count(entity: number, entries: readonly Entry[]): void {
    for (const { entry, event } of this.read(this.countedIn(entity, entries))) {
      if (event !== undefined) this.tables.dictionary.addEvent(event, entry.at)
    }
  }

  private countedIn(entity: number, entries: readonly Entry[]): readonly Entry[] {
    const { voids } = this.tables.logs
    return entries.filter((entry) => isEvent(entry) && !voids.has(entity, entry.position))
  }

  private read(entries: readonly Entry[]): readonly CountedEvent[] {
    if (entries.length === 0) return []
    const stored = this.tables.facts.stored(entries.map(({ position }) => position))
    return entries.map((entry) => {
      const logged = stored.get(entry.position)
      return { entry, event: logged && eventIn(logged) }
    })
  }

  private isCounted(entity: number, { position }: Pick<Entry, 'position'>): boolean {
    const { place } = this
    if (place === undefined || position > place.until) return true
    return entity < place.entity || (entity === place.entity && position <= place.position)
  }

  private begin(head: number): void {
    // Writes the logs of all entities first, because `step` finds the entities in the table of logs.
    this.tables.logs.pending.write()
    this.tables.dictionary.clearEvents()
    this.setPlace({ until: head, entity: 0, position: 0 })
  }

  private setPlace(place: RecountPlace | undefined): void {
    this.place = place
    const { until, entity, position } = place ?? {}
    this.statements.setPlace.run(until ?? null, entity ?? null, position ?? null)
  }
}

function isEvent({ kind }: Entry): boolean {
  return kind >= firstEventKind
}

const sql = {
  place: 'SELECT recount_until, recount_entity, recount_position FROM dictionary_state',
  setPlace:
    'UPDATE dictionary_state SET recount_until = ?, recount_entity = ?, recount_position = ?',
  entities: `SELECT entity FROM entity_logs WHERE entity > ? AND entity <= ? ORDER BY entity
             LIMIT ${String(entitiesAtOnce)}`,
}
