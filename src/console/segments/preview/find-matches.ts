import type { Calls } from '../../../client/calls.js'
import type { Rule } from '../../../client/dossier.js'

export interface Matches {
  readonly ids: readonly string[]
  /** The number of evaluated entities. */
  readonly looked: number
}

const pageSize = 1_000
/** The most ids that one request may evaluate. */
const atOnce = 100

/** Evaluates a rule for one entity after the other, in the order of creation. Calls `onFound` after each part. */
export async function findMatches(
  client: Calls,
  rule: Rule,
  signal: AbortSignal,
  onFound: (matches: Matches) => void,
): Promise<Matches> {
  const pages = client.entities.list({ limit: pageSize }, { signal })
  const ids: string[] = []
  let looked = 0
  for (let cursor: string | undefined | null = undefined; cursor !== null;) {
    const page: Awaited<ReturnType<typeof pages.page>> = await pages.page(cursor)
    for (let at = 0; at < page.items.length; at += atOnce) {
      const part = page.items.slice(at, at + atOnce).map(({ external_id: id }) => id)
      const { items } = await client.segments.evaluate({ rule, external_ids: part }, { signal })
      ids.push(...items.filter(({ member }) => member).map(({ external_id: id }) => id))
      looked += part.length
      onFound({ ids, looked })
    }
    cursor = page.next_cursor
  }
  return { ids, looked }
}
