import { isDeepStrictEqual } from 'node:util'

/** The most differences that are kept, so that a read model of another store does not fill the memory. */
const maxLines = 1_000

/** The compared values of a subject, by display name. A value that may be a customer's data is an object. */
export type Fields = Readonly<Record<string, unknown>>

/** The differences found so far, one line of text each. */
export class Differences {
  readonly lines: string[] = []
  more = 0
  private readonly subjects = new Set<string>()

  /** `subject` names the differing thing, such as `entity ada`. */
  add(subject: string, difference: string): void {
    if (this.lines.length === maxLines) {
      this.more += 1
      return
    }
    this.lines.push(`${subject}: ${difference}`)
    this.subjects.add(subject)
  }

  /** Returns whether a difference of the subject was added. */
  has(subject: string): boolean {
    return this.subjects.has(subject)
  }

  /** Compares the stored fields with the expected ones. `from` says how the expected fields were computed. */
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

  /** Runs a comparison. A damaged row may be unreadable, so an error is recorded as a difference. */
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

/** Returns the index of the first item that differs, if both values are lists. */
function placeIn(left: unknown, right: unknown): string {
  if (!Array.isArray(left) || !Array.isArray(right)) return ''
  const longer = left.length > right.length ? left : right
  const index = longer.findIndex((_, at) => !isDeepStrictEqual(left[at], right[at]))
  return ` (item ${String(index + 1)} of ${String(longer.length)})`
}
