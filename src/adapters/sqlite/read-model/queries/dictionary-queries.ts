import type {
  Dictionary as DictionaryAnswer,
  DictionaryEvent,
  DictionaryProperty,
  Totals,
  TotalsDay,
  TotalsQuery,
} from '../../../../application/reading/ports/dictionary-queries.js'
import { atOnce, type InPieces } from '../../../../domain/in-pieces.js'
import { propertyTypes } from '../../../../domain/property-types.js'
import { prepareAll, type Statements } from '../../file/driver.js'
import { numbersIn, valuesIn } from '../../file/row.js'
import { dayText, profilesId } from '../dictionary/dictionary-tables.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { maxPageBytes } from './page-size.js'

/** The most event names in the dictionary's answer. */
const namesShown = 1_000
/** The most event names in the totals of a day. */
const namesOfDay = 20
/** The approximate bytes of an item of the answer beside its text. */
const itemBytes = 100
/** The number of attempts to read all rows without a change of a row. The last attempt reads all rows in one piece. */
const attempts = 3

interface NameRow {
  readonly id: number
  readonly name: string
  readonly count: number
  readonly isFull: boolean
}

/** The number of events of a name by day. */
interface NameDays {
  readonly name: string
  readonly days: ReadonlyMap<number, number>
}

/** Answers the queries `dictionary` and `totals`. */
export class DictionaryQueries {
  private readonly statements: Statements<typeof sql>

  constructor(private readonly tables: ReadModelTables) {
    this.statements = prepareAll(tables.db, sql)
  }

  dictionary(): InPieces<DictionaryAnswer> {
    return this.unchanged(() => this.wholeDictionary())
  }

  totals(query: TotalsQuery): InPieces<Totals> {
    return this.unchanged(() => this.allTotals(query))
  }

  /**
   * Reads rows in pieces. Starts again if a row changes between two pieces, so that all rows belong to one
   * position. The last attempt reads all rows in one piece.
   */
  private *unchanged<T>(read: () => InPieces<T>): InPieces<T> {
    const { dictionary } = this.tables
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      dictionary.write()
      const { version } = dictionary
      const work = read()
      for (;;) {
        const step = work.next()
        if (step.done === true) return step.value
        yield
        if (version !== dictionary.version) break
      }
    }
    dictionary.write()
    return atOnce(read())
  }

  private *wholeDictionary(): InPieces<DictionaryAnswer> {
    const { names, profiles, state } = this.statements
    const [isFull = 0, recount] = valuesIn(state.get())
    const rows = names.all(namesShown + 1).map(nameRow)
    let isComplete = isFull === 0 && recount === null && rows.length <= namesShown
    const size = { bytes: 0 }
    const [areProfilesFull] = numbersIn(profiles.get() ?? [])
    isComplete &&= areProfilesFull === 0
    const properties = this.propertiesOf(profilesId, size)
    const events: DictionaryEvent[] = []
    for (const row of rows.slice(0, namesShown)) {
      yield
      if (size.bytes > maxPageBytes) {
        isComplete = false
        break
      }
      isComplete &&= !row.isFull
      events.push(this.eventOf(row, size))
    }
    return { events, properties, isComplete }
  }

  private eventOf({ id, name, count }: NameRow, size: { bytes: number }): DictionaryEvent {
    const [first = 0, last = 0] = numbersIn(this.statements.bounds.get(id, id) ?? [])
    size.bytes += Buffer.byteLength(name) + itemBytes
    const properties = this.propertiesOf(id, size)
    return { name, count, firstDay: dayText(first), lastDay: dayText(last), properties }
  }

  private propertiesOf(id: number, size: { bytes: number }): readonly DictionaryProperty[] {
    const found = this.statements.pointers.all(id).map(propertyIn)
    for (const { pointer } of found) size.bytes += Buffer.byteLength(pointer) + itemBytes
    return found.sort((left, right) => right.count - left.count)
  }

  private *allTotals({ since, until }: TotalsQuery): InPieces<Totals> {
    const [people = 0, events = 0] = numbersIn(this.statements.sums.get() ?? [])
    const counts: NameDays[] = []
    for (const { id, name } of yield* this.mostFrequent(since, until)) {
      counts.push({ name, days: new Map(this.statements.days.all(id, since, until).map(pairIn)) })
      yield
    }
    const totals = new Map(
      this.statements.totals.all(since, until).map((row) => {
        const [day = 0, ...ofDay] = numbersIn(row)
        return [day, ofDay]
      }),
    )
    const days = Array.from({ length: until - since }, (_, index) =>
      totalsOf(since + index, totals.get(since + index), counts),
    )
    return { people, events, days }
  }

  /** Returns the names with the most events in a range of days, the most frequent first. */
  private *mostFrequent(since: number, until: number): InPieces<readonly NameRow[]> {
    const found: (readonly [row: NameRow, count: number])[] = []
    for (const name of this.statements.names.all(-1)) {
      const row = nameRow(name)
      const [count = 0] = numbersIn(this.statements.daysSum.get(row.id, since, until) ?? [])
      if (count > 0) found.push([row, count])
      yield
    }
    // The sort is stable. Rows with equal counts stay in the order of the statement: by their total counts, then by
    // name.
    found.sort((left, right) => right[1] - left[1])
    return found.slice(0, namesOfDay).map(([row]) => row)
  }
}

function totalsOf(
  day: number,
  [newPeople = 0, all = 0]: readonly number[] = [],
  counts: readonly NameDays[] = [],
): TotalsDay {
  const events = counts.flatMap(({ name, days }) => {
    const count = days.get(day)
    return count === undefined ? [] : [[name, count] as const]
  })
  const others = events.reduce((left, [, count]) => left - count, all)
  return { day: dayText(day), newPeople, events, others }
}

function nameRow(given: unknown): NameRow {
  const [id, name, count, isFull] = valuesIn(given)
  return { id: Number(id), name: String(name), count: Number(count), isFull: isFull === 1 }
}

function pairIn(row: unknown): [number, number] {
  const [day = 0, count = 0] = numbersIn(row)
  return [day, count]
}

function propertyIn(row: unknown): DictionaryProperty {
  const [pointer, ...counts] = valuesIn(row)
  const types = propertyTypes.map((type, index) => [type, Number(counts[index])] as const)
  const present = types.filter(([, count]) => count > 0)
  const count = present.reduce((sum, [, one]) => sum + one, 0)
  return { pointer: String(pointer), types: Object.fromEntries(present), count }
}

const sql = {
  state: 'SELECT is_full, recount_until FROM dictionary_state',
  names: `SELECT id, name, count, is_full FROM dictionary_names WHERE id > ${String(profilesId)}
          ORDER BY count DESC, name LIMIT ?`,
  profiles: `SELECT is_full FROM dictionary_names WHERE id = ${String(profilesId)}`,
  bounds: `SELECT (SELECT min(day) FROM dictionary_days WHERE name_id = ?),
             (SELECT max(day) FROM dictionary_days WHERE name_id = ?)`,
  pointers: `SELECT pointer, strings, numbers, booleans, nulls, objects, arrays
             FROM dictionary_pointers WHERE name_id = ? ORDER BY pointer`,
  sums: 'SELECT sum(people), sum(events) FROM dictionary_totals',
  totals: 'SELECT day, people, events FROM dictionary_totals WHERE day >= ? AND day < ?',
  days: 'SELECT day, count FROM dictionary_days WHERE name_id = ? AND day >= ? AND day < ?',
  daysSum: 'SELECT sum(count) FROM dictionary_days WHERE name_id = ? AND day >= ? AND day < ?',
}
