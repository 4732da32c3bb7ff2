import type { StoredFact } from '../../../../application/facts/stored-fact.js'

/** Facts go one behind another. */
const factBytesOfPage = 4_000
/** Each group writes the last page of the facts once more. */
const pagesOfGroup = 1

/** About how many pages of the write-ahead log a group takes. */
export class LogPages {
  private pages = 0

  begin(): void {
    this.pages = pagesOfGroup
  }

  /** A new row of an index changes a page somewhere. */
  add(indexRows: number): void {
    this.pages += indexRows
  }

  addFact({ data, metadata }: StoredFact): void {
    this.pages += (data.length + metadata.length) / factBytesOfPage
  }

  get count(): number {
    return Math.ceil(this.pages)
  }
}
