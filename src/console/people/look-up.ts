import type { Calls } from '../../client/calls.js'
import type { EntityListQuery } from '../../client/dossier.js'

export interface Finding {
  /** How the ids match the text. */
  readonly by: 'id' | 'beginning' | 'entity id'
  readonly ids: readonly string[]
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const shownAtMost = 20

/** Returns the people whose ids match a text, by every kind of match that fits the text. Throws `DossierError`. */
export async function lookUp(
  client: Calls,
  text: string,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const list = async (query: EntityListQuery) => {
    const page = client.entities.list({ ...query, limit: shownAtMost }, { signal })
    return (await page.page()).items.map(({ external_id: id }) => id)
  }
  const [named, byEntity] = await Promise.all([
    // Ids are sorted by code points, so the exact id comes first.
    list({ starts_with: text }),
    uuid.test(text) ? list({ entity_id: text.toLowerCase() }) : [],
  ])
  return [
    { by: 'id', ids: named.filter((id) => id === text) },
    { by: 'entity id', ids: byEntity },
    { by: 'beginning', ids: named.filter((id) => id !== text) },
  ]
}

/**
 * Returns the only person whose external id or entity id is exactly the text. Returns undefined when nobody or several
 * people match.
 */
export function onlyOne(findings: readonly Finding[]): string | undefined {
  const exact = new Set(findings.flatMap(({ by, ids }) => (by === 'beginning' ? [] : ids)))
  return exact.size === 1 ? [...exact][0] : undefined
}
