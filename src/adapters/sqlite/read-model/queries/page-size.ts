import { valuesIn } from '../../file/row.js'

/** The size at which a page ends, in bytes of JSON. */
export const maxPageBytes = 4_194_304

/** The number of rows in the first read of a page, when the size of a row is unknown. */
const firstRows = 4
const maxRows = 32
const bytesTogether = 131_072

/**
 * Counts the bytes of a page. Estimates the number of rows to read next, so that few rows are read that do not
 * fit on the page.
 */
export class PageSize {
  private bytes = 0
  private rows = 0

  constructor(private readonly maxBytes = maxPageBytes) {}

  add(json: string): void {
    this.bytes += Buffer.byteLength(json)
    this.rows += 1
  }

  /** Returns whether the item fits on the page. The first item always fits. */
  fits(json: string): boolean {
    return this.rows === 0 || this.bytes + Buffer.byteLength(json) <= this.maxBytes
  }

  get isFull(): boolean {
    return this.bytes >= this.maxBytes
  }

  /** The number of rows to read next, at least one. */
  get rowsAtOnce(): number {
    if (this.rows === 0) return firstRows
    const average = Math.max(1, this.bytes / this.rows)
    return Math.min(maxRows, Math.max(1, Math.floor(bytesTogether / average)))
  }
}

/** Returns the first items, as many as fit on one page: at most `limit` items, and at most about 4 MiB of JSON. */
export function itemsOfPage<Item>(
  items: readonly Item[],
  limit: number,
  jsonOf: (item: Item) => string,
): { readonly items: readonly Item[]; readonly hasMore: boolean } {
  const size = new PageSize()
  let count = 0
  for (const item of items) {
    if (count === limit || size.isFull) break
    size.add(jsonOf(item))
    count += 1
  }
  return { items: items.slice(0, count), hasMore: count < items.length }
}

interface RowsWanted<Cursor> {
  readonly read: (after: Cursor, most: number) => readonly unknown[]
  readonly after: Cursor
  readonly limit: number
  readonly cursorOf: (row: readonly unknown[]) => Cursor
  readonly jsonOf: (row: readonly unknown[]) => string
}

export function rowsOfPage<Cursor>({ read, limit, cursorOf, jsonOf, after }: RowsWanted<Cursor>) {
  const rows: (readonly unknown[])[] = []
  const size = new PageSize()
  let last = after
  for (;;) {
    const most = Math.min(size.rowsAtOnce, limit + 1 - rows.length)
    const some = read(last, most).map(valuesIn)
    for (const row of some) {
      if (rows.length === limit || size.isFull) return { rows, next: last }
      rows.push(row)
      size.add(jsonOf(row))
      last = cursorOf(row)
    }
    if (some.length < most) return { rows, next: undefined }
  }
}
