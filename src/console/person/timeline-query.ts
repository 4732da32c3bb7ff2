import type { EventListQuery, PastQuery } from '../../client/dossier.js'
import type { Route } from '../frame/route.js'

const pageSize = 50

/** Returns the query of the events that the address asks for. */
export function timelineQuery({ query }: Route, past: PastQuery): EventListQuery {
  const [name, by] = [query.get('name') ?? '', query.get('by')]
  const until = query.get('until')
  return {
    ...past,
    ...(name === '' ? {} : { name }),
    ...(by === 'recorded' ? { by } : {}),
    ...(query.has('voided') ? { include: 'voided' } : {}),
    ...(until === null ? {} : { until }),
    limit: pageSize,
  }
}
