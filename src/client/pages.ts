import type { Page } from './entity-types.js'

/** A list: its items one after the other, fetched page by page as they are taken; or single pages. */
export class Pages<Item, One extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  /** `begin`: the cursor of the first page. */
  constructor(
    private readonly fetchPage: (cursor: string | undefined) => Promise<One>,
    private readonly begin: string | undefined,
  ) {}

  /** One page: the first one, or the one that a `next_cursor` names. Throws `DossierError`. */
  page(cursor = this.begin): Promise<One> {
    return this.fetchPage(cursor)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for (let cursor = this.begin; ;) {
      const { items, next_cursor: next } = await this.fetchPage(cursor)
      yield* items
      if (next === null) return
      cursor = next
    }
  }
}
