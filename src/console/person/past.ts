import type { PastQuery } from '../../client/dossier.js'

/** Returns the two times in the address: `as_of` and `known_at`. */
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

/** Returns the time plus one millisecond. As the `until` of a list, it includes the time itself. */
export function justAfter(time: string): string {
  const at = Date.parse(time)
  // Returns an invalid time unchanged, because the service refuses it with a clear message.
  return Number.isNaN(at) ? time : new Date(at + 1).toISOString()
}
