import { DossierError, type Dossier } from '../../client/dossier.js'

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
export async function lookUp(client: Dossier, text: string): Promise<readonly Finding[]> {
  const list = async (query: Parameters<Dossier['entities']['list']>[0]) => {
    const { items } = await client.entities.list({ ...query, limit: shownAtMost }).page()
    return items.map(({ external_id: id }) => id)
  }
  const ways: Promise<Finding>[] = [
    ids(client, text).then((found) => ({
      tried: `Called exactly “${text}”`,
      ids: found,
      isExact: true,
    })),
    list({ starts_with: text }).then((found) => ({
      tried: `Called something that begins so (the first ${String(shownAtMost)})`,
      ids: found,
      isExact: false,
    })),
  ]
  if (text.includes('@')) {
    ways.push(
      list({ property: '/email', is: text }).then(
        (found) => ({ tried: 'With this mail address', ids: found, isExact: true }),
        (error: unknown) => ({ tried: notSearchable(error), ids: [], isExact: false }),
      ),
    )
  }
  if (uuid.test(text)) {
    ways.push(
      list({ entity_id: text.toLowerCase() }).then((found) => ({
        tried: 'With this entity id',
        ids: found,
        isExact: true,
      })),
    )
  }
  return Promise.all(ways)
}

async function ids(client: Dossier, text: string): Promise<readonly string[]> {
  try {
    const { external_id: id } = await client.entities.get(text)
    return [id]
  } catch (error) {
    // A text that is no id at all is refused: nobody is called so.
    if (error instanceof DossierError && [404, 410, 422].includes(error.status ?? 0)) return []
    throw error
  }
}

function notSearchable(error: unknown): string {
  if (error instanceof DossierError && error.code === 'not_searchable')
    return 'By mail address (this service does not look there: SEARCH_PROPERTIES has no /email)'
  throw error
}
