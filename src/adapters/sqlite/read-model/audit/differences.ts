/** Differences that are kept, so that a read model of another store does not fill the memory. */
const maxLines = 1_000

/** How the second value of a comparison was found. */
export type Origin = 'rebuilt' | 'counted' | 'folded'

type Shown = number | string | undefined

/** What was found, one line each, for people. */
export class Differences {
  readonly lines: string[] = []
  more = 0
  private readonly subjects = new Set<string>()

  /** `subject`: what differs, as `entity ada`. */
  add(subject: string, difference: string): void {
    if (this.lines.length === maxLines) {
      this.more += 1
      return
    }
    this.lines.push(`${subject}: ${difference}`)
    this.subjects.add(subject)
  }

  /** Whether something of the subject is among the lines. */
  has(subject: string): boolean {
    return this.subjects.has(subject)
  }

  /** Adds a line where the two values differ. */
  compare(subject: string, what: string, values: readonly [Shown, Shown], from: Origin): void {
    const [stored, byFacts] = values
    if (stored === byFacts) return
    this.add(subject, `${what} is ${textOf(stored)}, ${from} ${textOf(byFacts)}`)
  }

  /** What is damaged cannot always be read. */
  attempt(subject: string, compare: () => void): void {
    try {
      compare()
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
      this.add(subject, `it cannot be read (${error.message})`)
    }
  }
}

function textOf(value: Shown): string {
  return value === undefined ? 'none' : String(value)
}
