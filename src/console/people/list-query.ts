import type { EntityListQuery } from '../../client/dossier.js'

/** The maximum number of people on one page. */
export const pageSize = 50
/** The number of people with the latest events. They come in one page. */
const latestCount = { few: 50, all: 1_000 }

/** Returns the query of the list that the address asks for. */
export function listQuery(query: URLSearchParams, columns: readonly string[]): EntityListQuery {
  const begins = query.get('starts_with') ?? ''
  const picked = columns.length === 0 ? {} : { properties: columns.join(',') }
  if (begins !== '') return { starts_with: begins, limit: pageSize, ...picked }
  return isByCreation(query)
    ? { order: 'created', limit: pageSize, ...picked }
    : { order: 'last_event', limit: latestCount[query.has('all') ? 'all' : 'few'], ...picked }
}

export function isByCreation(query: URLSearchParams): boolean {
  return query.get('order') === 'created'
}
