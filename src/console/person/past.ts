import type { PastQuery } from '../../client/dossier.js'
import { typedTime } from '../by-hand/typed-values.js'

/** The times in an address: as of a time, as known at a time. A day is its midnight in UTC. */
export function pastIn(query: URLSearchParams): PastQuery {
  const [asOf, knownAt] = [
    typedTime(query.get('as_of') ?? ''),
    typedTime(query.get('known_at') ?? ''),
  ]
  return {
    ...(asOf === undefined ? {} : { as_of: asOf }),
    ...(knownAt === undefined ? {} : { known_at: knownAt }),
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
