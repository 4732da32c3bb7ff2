import type { Page } from './types.js'

/** A list. Iterate over its items, which are fetched page by page, or fetch single pages. */
export class Pages<Item, One extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  /**
   * `begin` is the cursor of the first page.
   *
   * @internal
   */
  constructor(
    private readonly fetchPage: (cursor: string | undefined) => Promise<One>,
    private readonly begin: string | undefined,
  ) {}

  /** Fetches the first page, or the page of a `next_cursor`. Throws `DossierError`. */
  page(cursor = this.begin): Promise<One> {
    return this.fetchPage(cursor)
  }

  /** Fetches all pages, one after the other. Throws `DossierError`. */
  async all(): Promise<readonly Item[]> {
    const all: Item[] = []
    for await (const item of this) all.push(item)
    return all
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
