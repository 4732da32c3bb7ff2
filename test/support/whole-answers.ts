import type {
  Part,
  Queries,
  QueryName,
  QueryOf,
} from '../../src/application/reading/ports/read-model.js'

/** Of a read model that knows everything up to a position. */
export type Ask = <Name extends QueryName>(
  name: Name,
  query: QueryOf<Name>,
) => Promise<Queries[Name]['answer']>

/** All items of a list, a part at a time; undefined when the list is. */
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
