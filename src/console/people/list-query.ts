import type { EntityListQuery } from '../../client/dossier.js'

/** Whom an address asks for: those of a beginning, else those of a property, else all. */
export function listQuery(query: URLSearchParams): EntityListQuery {
  const [begins, property, is] = ['starts_with', 'property', 'is'].map(
    (name) => query.get(name) ?? '',
  )
  if (begins !== undefined && begins !== '') return { starts_with: begins }
  if (property === undefined || property === '' || is === undefined || is === '') return {}
  return { property, is }
}
