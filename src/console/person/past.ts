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

/** A millisecond later: the `until` of a list that includes this time. */
export function justAfter(time: string): string {
  const at = Date.parse(time)
  // The service refuses a text that is not a time.
  return Number.isNaN(at) ? time : new Date(at + 1).toISOString()
}
