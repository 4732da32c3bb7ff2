import { maxViolations } from '../properties.js'
import type { RuleViolation, ViolationCode } from '../rule-violation.js'

/** A JSON object of which nothing is known. */
export type Members = Readonly<Record<string, unknown>>

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Collects what is wrong with a value, and where. */
export class RuleCheck {
  readonly violations: RuleViolation[] = []
  private readonly path: (string | number)[] = []

  add(code: ViolationCode, message: string): void {
    if (this.violations.length >= maxViolations) return
    this.violations.push({ path: [...this.path], code, message })
  }

  /** Checks what a step leads to. */
  at(step: string | number, check: () => void): void {
    this.path.push(step)
    check()
    this.path.pop()
  }

  /** Undefined, with a violation, when the value is no object. */
  object(value: unknown): Members | undefined {
    if (isMembers(value)) return value
    this.add('wrong_type', 'must be a JSON object')
    return undefined
  }

  text(value: unknown): string | undefined {
    if (typeof value !== 'string') {
      this.add('wrong_type', 'must be a string')
      return undefined
    }
    if (value.isWellFormed()) return value
    this.add('ill_formed', 'must be well-formed Unicode: it holds half of a surrogate pair')
    return undefined
  }

  /** Undefined, with a violation, when the value is no list of 1 to `most` items. */
  list(value: unknown, most: number): readonly unknown[] | undefined {
    if (!isList(value)) {
      this.add('wrong_type', 'must be a list')
      return undefined
    }
    if (value.length === 0) this.add('empty', 'must not be empty')
    if (value.length <= most) return value
    this.add('too_many', `must have at most ${String(most)} items`)
    return undefined
  }

  /** Members that are not among these are refused by name. */
  allow(members: Members, names: readonly string[]): void {
    for (const name of Object.keys(members)) {
      if (names.includes(name)) continue
      this.at(name, () => {
        this.add('unknown_field', `is not known here: there are ${names.join(', ')}`)
      })
    }
  }

  /** The one member of these that is there; a violation when there are none or several. */
  oneOf(members: Members, names: readonly string[]): string | undefined {
    const [first, second] = names.filter((name) => Object.hasOwn(members, name))
    if (first === undefined) this.add('required', `must have one of ${names.join(', ')}`)
    if (second !== undefined) {
      this.at(second, () => {
        this.add('conflict', `must not stand beside ${first ?? ''}`)
      })
    }
    return first
  }
}
