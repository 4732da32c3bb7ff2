import type {
  Part,
  Queries,
  QueryName,
  QueryOf,
} from '../../src/application/reading/ports/read-model.js'

/** Queries a read model that has applied everything up to a position. */
export type Ask = <Name extends QueryName>(
  name: Name,
  query: QueryOf<Name>,
) => Promise<Queries[Name]['answer']>

/**
 * Returns all items of a list by reading page after page. Returns undefined when the first page is
 * undefined.
 */
export async function allParts<Item, Cursor>(
  part: (after: Cursor | undefined) => Promise<Part<Item, Cursor> | undefined>,
): Promise<readonly Item[] | undefined> {
  const items: Item[] = []
  let after: Cursor | undefined
  for (;;) {
    const next = await part(after)
    if (next === undefined) return undefined
    items.push(...next.items)
    if (next.next === undefined) return items
    after = next.next
  }
}
