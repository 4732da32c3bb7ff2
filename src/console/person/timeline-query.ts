import type { EventListQuery, PastQuery } from '../../client/dossier.js'
import type { Route } from '../frame/route.js'
import { justAfter } from './past.js'

const pageSize = 50

/** The events that an address asks for. */
export function timelineQuery({ query }: Route, { as_of: asOf }: PastQuery): EventListQuery {
  const [name, by] = [query.get('name') ?? '', query.get('by')]
  const until = query.get('until') ?? (asOf === undefined ? undefined : justAfter(asOf))
  return {
    ...(name === '' ? {} : { name }),
    ...(by === 'recorded' ? { by } : {}),
    ...(until === undefined ? {} : { until }),
    limit: pageSize,
  }
}
