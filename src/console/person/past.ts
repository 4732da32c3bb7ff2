import type { HistoryEntry, ListedEvent, PastQuery } from '../../client/dossier.js'

/** What an address asks for: as of a time, as known at a time. */
export function pastIn(query: URLSearchParams): PastQuery {
  const [asOf, knownAt] = [query.get('as_of') ?? '', query.get('known_at') ?? '']
  return {
    ...(asOf === '' ? {} : { as_of: asOf }),
    ...(knownAt === '' ? {} : { known_at: knownAt }),
  }
}

export function isPast({ as_of, known_at }: PastQuery): boolean {
  return (as_of ?? known_at) !== undefined
}

/** The time before which lists end that are to have what was there at this one: a millisecond later. */
export function justAfter(time: string): string {
  const at = Date.parse(time)
  // What is no time is the service's to refuse.
  return Number.isNaN(at) ? time : new Date(at + 1).toISOString()
}

/** Those of the events that were recorded by then. */
export function eventsKnown(
  events: readonly ListedEvent[],
  { known_at: at }: PastQuery,
): readonly ListedEvent[] {
  return at === undefined
    ? events
    : events.filter(({ timestamp }) => Date.parse(timestamp) <= Date.parse(at))
}

/** Those of the changes that were made by then: they take effect when they are recorded. */
export function changesKnown(
  entries: readonly HistoryEntry[],
  { as_of = '', known_at = '' }: PastQuery,
): readonly HistoryEntry[] {
  const bounds = [as_of, known_at].map((time) => Date.parse(time)).filter((at) => !Number.isNaN(at))
  return entries.filter(({ changed_at: at }) => bounds.every((bound) => Date.parse(at) <= bound))
}
