import type { Calls } from '../../client/calls.js'
import { DossierError, type EntityListQuery } from '../../client/dossier.js'

export interface Finding {
  /** What was looked for, in words. */
  readonly tried: string
  readonly ids: readonly string[]
  /** Whether it names one person. */
  readonly isExact: boolean
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const shownAtMost = 20

/** Whom a text may mean: looked for in every way that fits it. Throws `DossierError`. */
export async function lookUp(client: Calls, text: string): Promise<readonly Finding[]> {
  const list: List = async (query) => {
    const { items } = await client.entities.list({ ...query, limit: shownAtMost }).page()
    return items.map(({ external_id: id }) => id)
  }
  const [named, byAddress, byEntity] = await Promise.all([
    // By the order of code points: who is called exactly so comes first.
    list({ starts_with: text }),
    text.includes('@') ? byMail(text, list) : undefined,
    uuid.test(text) ? list({ entity_id: text.toLowerCase() }) : undefined,
  ])
  const found: Finding[] = [
    {
      tried: `Called exactly “${text}”`,
      ids: named.filter((id) => id === text),
      isExact: true,
    },
    {
      tried: `Called something that begins so (the first ${String(shownAtMost)})`,
      ids: named.filter((id) => id !== text),
      isExact: false,
    },
  ]
  if (byAddress !== undefined) found.push(byAddress)
  if (byEntity !== undefined) {
    found.push({ tried: 'With this entity id', ids: byEntity, isExact: true })
  }
  return found
}

type List = (query: EntityListQuery) => Promise<readonly string[]>

async function byMail(text: string, list: List): Promise<Finding> {
  try {
    const ids = await list({ property: '/email', is: text })
    return { tried: 'With this mail address', ids, isExact: true }
  } catch (error) {
    return { tried: notSearchable(error), ids: [], isExact: false }
  }
}

function notSearchable(error: unknown): string {
  if (error instanceof DossierError && error.code === 'not_searchable')
    return 'By mail address (not searched: SEARCH_PROPERTIES lacks /email)'
  throw error
}
