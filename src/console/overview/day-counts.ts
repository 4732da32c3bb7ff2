import type { Totals } from '../../client/dossier.js'

type Days = Totals['days']
type Day = Days[number]

/** An event name, and the number of its events on each day. */
export interface NamedCounts {
  readonly name: string
  readonly values: readonly number[]
}

/** Returns the number of all events of a day. */
export function eventsOf(day: Day | undefined): number {
  if (day === undefined) return 0
  return Object.values(day.events).reduce((sum, count) => sum + count, day.others)
}

export function newPeopleOf(days: Days): number {
  return days.reduce((sum, day) => sum + day.new_people, 0)
}

/** Returns the most frequent event names, the most frequent first. The last item is the sum of all other events. */
export function byName(days: Days, most: number): readonly NamedCounts[] {
  const sums = new Map<string, number>()
  for (const { events } of days) {
    for (const [name, count] of Object.entries(events))
      sums.set(name, (sums.get(name) ?? 0) + count)
  }
  const names = [...sums].sort(([, one], [, other]) => other - one).map(([name]) => name)
  const hasOthers = names.length > most || days.some(({ others }) => others > 0)
  const shown = hasOthers ? names.slice(0, most - 1) : names
  const series = shown.map((name) => ({
    name,
    values: days.map(({ events }) => events[name] ?? 0),
  }))
  if (!hasOthers) return series
  const values = days.map((day, at) =>
    series.reduce((left, one) => left - (one.values[at] ?? 0), eventsOf(day)),
  )
  return [...series, { name: 'others', values }]
}
