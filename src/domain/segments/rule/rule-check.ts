import { maxViolations } from '../../properties.js'
import { isJsonObject } from '../../json.js'
import {
  broken,
  illFormed,
  isEmpty,
  tooMany,
  type RuleViolation,
  type ViolationCode,
} from '../../rule-violation.js'
import { fitWords, type FittedWords, type ObjectForm, type RefusedWord } from './object-forms.js'

/** A JSON object whose members may have any type. */
export type Members = Readonly<Record<string, unknown>>

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Collects the violations of a value, with their paths. */
export class RuleCheck {
  readonly violations: RuleViolation[] = []
  private readonly path: (string | number)[] = []

  add(code: ViolationCode, message: string): void {
    if (this.violations.length >= maxViolations) return
    this.violations.push(broken(code, message, [...this.path]))
  }

  private refuse({ code, message }: RuleViolation): void {
    this.add(code, message)
  }

  at(step: string | number, check: () => void): void {
    this.path.push(step)
    check()
    this.path.pop()
  }

  /** Returns the value if it is an object. Otherwise adds a violation and returns undefined. */
  object(value: unknown): Members | undefined {
    if (isJsonObject(value)) return value
    this.add('wrong_type', 'must be a JSON object')
    return undefined
  }

  text(value: unknown): string | undefined {
    if (typeof value !== 'string') {
      this.add('wrong_type', 'must be a string')
      return undefined
    }
    if (value.isWellFormed()) return value
    this.refuse(illFormed)
    return undefined
  }

  /**
   * Returns the value if it is a list of at most `most` items. Otherwise adds a violation and returns
   * undefined. Adds a violation for an empty list too, but returns the list.
   */
  list(value: unknown, most: number): readonly unknown[] | undefined {
    if (!isList(value)) {
      this.add('wrong_type', 'must be a list')
      return undefined
    }
    if (value.length === 0) this.refuse(isEmpty)
    if (value.length <= most) return value
    this.refuse(tooMany(most, 'items'))
    return undefined
  }

  /**
   * Checks the members of an object against its forms. `forms` has at least one form. First adds a violation
   * for each member that the best form does not permit. Then calls `check` for each permitted member.
   *
   * One mistake leads to one violation: a member is not reported as missing if a refused member probably
   * stands in its place.
   */
  members(
    members: Members,
    forms: readonly ObjectForm[],
    check: (name: string, value: unknown) => void,
  ): void {
    const fitted = fitWords(Object.keys(members), forms)
    for (const refused of fitted.refused) {
      this.at(refused.word, () => {
        this.add(refused.isAlternative ? 'conflict' : 'unknown_field', hint(refused, fitted))
      })
    }
    if (fitted.refused.length === 0) this.refuseMissing(fitted)
    for (const name of fitted.accepted) {
      this.at(name, () => {
        check(name, members[name])
      })
    }
  }

  private refuseMissing({ accepted, missing, possible }: FittedWords): void {
    if (accepted.length === 0 && missing.length === 0) {
      this.add('required', `must have one of ${possible.join(', ')}`)
    }
    for (const name of missing) {
      this.at(name, () => {
        this.add('required', 'is required')
      })
    }
  }
}

function hint({ apart }: RefusedWord, { accepted, possible }: FittedWords): string {
  if (apart.length > 0) return `must not stand beside ${apart.join(', ')}`
  if (possible.length > 0) return `is not known here: there may be ${possible.join(', ')}`
  return `is not known here: nothing more may stand beside ${accepted.join(', ')}`
}
