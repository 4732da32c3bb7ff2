import type { EntityListQuery } from '../../client/dossier.js'

/** Whom an address asks for: those of a beginning, else those of a property, else all. */
export function listQuery(query: URLSearchParams): EntityListQuery {
  const [begins, property, is] = [query.get('starts_with'), query.get('property'), query.get('is')]
  if (begins !== null && begins !== '') return { starts_with: begins }
  return property === null || is === null ? {} : { property, is }
}
