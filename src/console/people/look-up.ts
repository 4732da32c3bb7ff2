import type { Calls } from '../../client/calls.js'
import type { EntityListQuery } from '../../client/dossier.js'

export interface Finding {
  /** The way in which the ids match the text. */
  readonly by: 'id' | 'beginning' | 'entity id'
  readonly ids: readonly string[]
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const shownAtMost = 20

/** The people whose ids match a text. Asks in every way that fits the text. Throws `DossierError`. */
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
    // The order is by code points, so the exact id comes first.
    list({ starts_with: text }),
    uuid.test(text) ? list({ entity_id: text.toLowerCase() }) : [],
  ])
  return [
    { by: 'id', ids: named.filter((id) => id === text) },
    { by: 'entity id', ids: byEntity },
    { by: 'beginning', ids: named.filter((id) => id !== text) },
  ]
}

/** The person whom a text names exactly; undefined for none, and for several. */
export function onlyOne(findings: readonly Finding[]): string | undefined {
  const exact = new Set(findings.flatMap(({ by, ids }) => (by === 'beginning' ? [] : ids)))
  return exact.size === 1 ? [...exact][0] : undefined
}
