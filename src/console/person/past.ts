import type { PastQuery } from '../../client/dossier.js'

/** The times in an address: as of a time, as known at a time. */
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

/** A millisecond later: the `until` of a list that includes this time. */
export function justAfter(time: string): string {
  const at = Date.parse(time)
  // The service refuses a text that is not a time.
  return Number.isNaN(at) ? time : new Date(at + 1).toISOString()
}
