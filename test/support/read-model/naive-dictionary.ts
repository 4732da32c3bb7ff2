import type {
  Dictionary,
  DictionaryProperty,
  Totals,
} from '../../../src/application/reading/ports/dictionary-queries.js'

/** An entity of the history with its events, for `naiveDictionary`. Times are RFC 3339 in UTC. */
export interface NaiveEntity {
  readonly createdAt: string
  readonly properties: object
  readonly events: readonly NaiveEvent[]
}

export interface NaiveEvent {
  readonly name: string
  readonly properties: object
  readonly occurredAt: string
  /** Whether a later fact voids the event. */
  readonly isVoided: boolean
}

const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1')

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function pointersIn(value: unknown, parent: string, steps: number): [string, string][] {
  if (typeOf(value) !== 'object' || steps === 3) return []
  return Object.entries(value as object).flatMap(([name, member]: [string, unknown]) => {
    const pointer = `${parent}/${escaped(name)}`
    return [[pointer, typeOf(member)], ...pointersIn(member, pointer, steps + 1)] as [
      string,
      string,
    ][]
  })
}

function propertiesOf(objects: readonly object[]): DictionaryProperty[] {
  const counts = new Map<string, Record<string, number>>()
  for (const [pointer, type] of objects.flatMap((object) => pointersIn(object, '', 0))) {
    const types = counts.get(pointer) ?? {}
    types[type] = (types[type] ?? 0) + 1
    counts.set(pointer, types)
  }
  return [...counts].map(([pointer, types]) => {
    const count = Object.values(types).reduce((sum, one) => sum + one, 0)
    return { pointer, types, count }
  })
}

const dayOf = (at: string) => at.slice(0, 10)

/** Returns the events that count. */
function countedIn(entities: readonly NaiveEntity[]): readonly NaiveEvent[] {
  return entities.flatMap(({ events }) => events).filter(({ isVoided }) => !isVoided)
}

/** Counts names, properties and days in the simplest way. Applies no limits, and sorts nothing. */
export function naiveDictionary(entities: readonly NaiveEntity[]): Dictionary {
  const all = countedIn(entities)
  const names = [...new Set(all.map(({ name }) => name))]
  const events = names.map((name) => {
    const some = all.filter((event) => event.name === name)
    const days = some.map(({ occurredAt }) => dayOf(occurredAt)).sort()
    const properties = propertiesOf(some.map((event) => event.properties))
    return {
      name,
      count: some.length,
      firstDay: days[0] ?? '',
      lastDay: days.at(-1) ?? '',
      properties,
    }
  })
  return {
    events,
    properties: propertiesOf(entities.map(({ properties }) => properties)),
    isComplete: true,
  }
}

/** Counts entities and events by day in the simplest way. `days` are the days of the answer. */
export function naiveTotals(entities: readonly NaiveEntity[], days: readonly string[]): Totals {
  const all = countedIn(entities)
  return {
    people: entities.length,
    events: all.length,
    days: days.map((day) => {
      const ofDay = all.filter(({ occurredAt }) => dayOf(occurredAt) === day)
      const names = [...new Set(ofDay.map(({ name }) => name))]
      return {
        day,
        newPeople: entities.filter(({ createdAt }) => dayOf(createdAt) === day).length,
        events: names.map((name) => [name, ofDay.filter((one) => one.name === name).length]),
        others: 0,
      }
    }),
  }
}

/** Sorts the lists of a dictionary, so that dictionaries can be compared. */
export function sortedDictionary({ events, properties, isComplete }: Dictionary): Dictionary {
  return {
    events: events
      .map((event) => ({ ...event, properties: sorted(event.properties) }))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
    properties: sorted(properties),
    isComplete,
  }
}

export function sortedTotals({ days, ...sums }: Totals): Totals {
  const events = (some: Totals['days'][number]['events']) =>
    [...some].sort(([left], [right]) => (left < right ? -1 : 1))
  return { ...sums, days: days.map((day) => ({ ...day, events: events(day.events) })) }
}

function sorted(properties: readonly DictionaryProperty[]): DictionaryProperty[] {
  return [...properties].sort((left, right) => (left.pointer < right.pointer ? -1 : 1))
}
