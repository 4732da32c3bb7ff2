import type { Page } from './types.js'

/**
 * A list. Iterate over its items, or fetch single pages. The iteration fetches one page after
 * another.
 */
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

  /**
   * Fetches the page of a `next_cursor`, or without an argument the first page. Throws
   * `DossierError`.
   */
  page(cursor = this.begin): Promise<One> {
    return this.fetchPage(cursor)
  }

  /** Fetches all pages, one after the other, and returns their items. Throws `DossierError`. */
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
