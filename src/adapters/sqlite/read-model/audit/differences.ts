import { isDeepStrictEqual } from 'node:util'

/**
 * The most differences that are kept. The limit bounds memory when somebody audits a read model with the facts
 * of another store.
 */
const maxLines = 1_000

/**
 * The compared values of an entity, a segment or a table row, by display name. Strings and numbers are printed
 * in differences. Values that may contain customer data must therefore be objects.
 */
export type Fields = Readonly<Record<string, unknown>>

/** The differences found so far, as lines of text. */
export class Differences {
  readonly lines: string[] = []
  more = 0
  private readonly subjects = new Set<string>()

  /** Adds a difference. `subject` names the compared thing, such as `entity ada`. */
  add(subject: string, difference: string): void {
    if (this.lines.length === maxLines) {
      this.more += 1
      return
    }
    this.lines.push(`${subject}: ${difference}`)
    this.subjects.add(subject)
  }

  /** Returns whether a difference with this subject has been added. */
  has(subject: string): boolean {
    return this.subjects.has(subject)
  }

  /**
   * Adds a difference for each field whose stored value differs from the expected value. The message contains
   * `from`, which describes how the expected values were computed.
   */
  compare(subject: string, stored: Fields, expected: Fields, from: string): void {
    for (const [name, other] of Object.entries(expected)) {
      const value = stored[name]
      if (isDeepStrictEqual(value, other)) continue
      const [left, right] = [shown(value), shown(other)]
      const isShown = left !== undefined && right !== undefined
      const fault = isShown
        ? ` is ${left}, ${from} ${right}`
        : `${placeIn(value, other)}: not as ${from}`
      this.add(subject, `${name}${fault}`)
    }
  }

  /**
   * Runs a comparison. If the comparison throws a `TypeError` or a `SyntaxError`, adds the error as a
   * difference, because a damaged row may be unreadable.
   */
  attempt(subject: string, compare: () => void): void {
    try {
      compare()
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
      this.add(subject, `it cannot be read (${error.message})`)
    }
  }
}

function shown(value: unknown): string | undefined {
  if (value === undefined) return 'none'
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/**
 * Returns the number of the first differing item as text, such as `(item 2 of 5)`. Returns an empty text if the
 * values are not lists.
 */
function placeIn(left: unknown, right: unknown): string {
  if (!Array.isArray(left) || !Array.isArray(right)) return ''
  const longer = left.length > right.length ? left : right
  const index = longer.findIndex((_, at) => !isDeepStrictEqual(left[at], right[at]))
  return ` (item ${String(index + 1)} of ${String(longer.length)})`
}
