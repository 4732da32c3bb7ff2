import type { EntityListQuery } from '../../client/dossier.js'

/** The most people of one page. */
export const pageSize = 50
/** The people with the latest events come in one page. */
const latestCount = { few: 50, all: 1_000 }

/** The list that an address asks for. */
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
