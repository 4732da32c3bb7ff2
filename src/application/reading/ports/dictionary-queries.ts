import type { PropertyType } from '../../../domain/property-types.js'
import { read, type TypesOf } from './query.js'

/** A property, and the number of its values by JSON type. A type without values is absent. */
export interface DictionaryProperty {
  readonly pointer: string
  readonly types: Readonly<Partial<Record<PropertyType, number>>>
  /** The sum of `types`. */
  readonly count: number
}

export interface DictionaryEvent {
  readonly name: string
  readonly count: number
  /**
   * The day of the first event and the day of the last event, by time of occurrence: `2026-11-20`,
   * in UTC.
   */
  readonly firstDay: string
  readonly lastDay: string
  readonly properties: readonly DictionaryProperty[]
}

/** The names of events and properties, the most frequent first. */
export interface Dictionary {
  readonly events: readonly DictionaryEvent[]
  /** The properties of profiles as they are now. A count is a number of entities. */
  readonly properties: readonly DictionaryProperty[]
  /**
   * False if a name or a property is left out. Also false while the events are being counted again.
   */
  readonly isComplete: boolean
}

/** The days from `since` on and before `until`, as numbers of days since 1970. */
export interface TotalsQuery {
  readonly since: number
  readonly until: number
}

export interface TotalsDay {
  readonly day: string
  readonly newPeople: number
  /**
   * The most frequent names of all queried days. Each name has its number of events on this day.
   */
  readonly events: readonly (readonly [name: string, count: number])[]
  /** The number of events with other names. */
  readonly others: number
}

export interface Totals {
  /** The number of entities, and the number of their events, on all days. */
  readonly people: number
  readonly events: number
  readonly days: readonly TotalsDay[]
}

/** The queries about all entities and all events. */
export const dictionaryQueries = {
  dictionary: read<object, Dictionary>({ cost: 'page' }),
  totals: read<TotalsQuery, Totals>({ cost: 'page' }),
} as const

export type DictionaryQueries = TypesOf<typeof dictionaryQueries>
