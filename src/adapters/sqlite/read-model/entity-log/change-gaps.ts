/** The most properties of entities, and the most gaps of one property, that are kept. */
const [maxKeys, maxGapsOfKey] = [256, 32]

/**
 * The result of a search for the next change of a property after the own time `after`. `next` is the earliest own
 * time of such a change with a position below `position`, or undefined when there is none.
 */
export interface Gap {
  readonly after: number
  readonly next: number | undefined
  readonly position: number
}

/**
 * Keeps the results of long searches for the next change of a property. Late changes of a property tend to fall
 * into the gap that a former search has read. Without the results, the search for each of them would read the same
 * gap again.
 *
 * Only the latest results are kept. A missing result costs another search.
 */
export class ChangeGaps {
  /**
   * The gaps by entity and property. The most recently used keys, and the most recently used gaps of a key, are at
   * the end.
   */
  private readonly gaps = new Map<string, readonly Gap[]>()

  /** Returns the newest gap that contains the own time `after`, for a search that ends before `position`. */
  find(key: string, after: number, position: number): Gap | undefined {
    return this.gaps
      .get(key)
      ?.filter((gap) => gap.position <= position && isIn(gap, after))
      .reduce<Gap | undefined>(
        (newest, gap) => (newest === undefined || gap.position > newest.position ? gap : newest),
        undefined,
      )
  }

  add(key: string, gap: Gap): void {
    const others = this.gaps.get(key) ?? []
    this.gaps.delete(key)
    this.gaps.set(key, [...others.slice(1 - maxGapsOfKey), gap])
    const [oldest] = this.gaps.keys()
    if (this.gaps.size > maxKeys && oldest !== undefined) this.gaps.delete(oldest)
  }

  replace(key: string, former: Gap, gap: Gap): void {
    const others = this.gaps.get(key) ?? []
    this.gaps.set(
      key,
      others.filter((one) => one !== former),
    )
    this.add(key, gap)
  }
}

function isIn({ after, next = Infinity }: Gap, at: number): boolean {
  return at >= after && at < next
}
