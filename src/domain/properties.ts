import {
  broken,
  illFormed,
  isEmpty,
  tooMany,
  type RuleViolation,
  type ViolationCode,
} from './rule-violation.js'
import { isLongerThan, textViolations } from './name.js'

export const maxMembers = 512
export const maxKeyLength = 255
export const maxNesting = 8
/** The maximum number of violations that are reported. A longer list usually repeats one mistake. */
export const maxViolations = 100

/**
 * Checks `properties` as a JSON parser returned them. Returns at most 100 violations of these rules:
 * - at most 512 top-level members;
 * - at every level, keys of 1 to 255 well-formed characters;
 * - at most 8 levels of nesting: `{"a":1}` has 1 level, and `{"a":{}}` has 2;
 * - only whole numbers that a double represents exactly;
 * - only well-formed texts.
 */
export function propertyViolations(properties: object): readonly RuleViolation[] {
  const check = new PropertiesCheck()
  if (Object.keys(properties).length > maxMembers) check.add(tooMany(maxMembers, 'members'))
  check.value(properties)
  return check.violations
}

/** Checks `unset`: at most 512 names, each of which could be a key of `properties`. Returns at most 100 violations. */
export function unsetViolations(names: readonly unknown[]): readonly RuleViolation[] {
  if (names.length > maxMembers) return [tooMany(maxMembers, 'names')]
  return names
    .flatMap((name, index) => nameFaults(name).map((fault) => ({ ...fault, path: [index] })))
    .slice(0, maxViolations)
}

function nameFaults(name: unknown): readonly RuleViolation[] {
  if (typeof name !== 'string') return [broken('wrong_type', 'must be a string')]
  return name === '' ? [isEmpty] : textViolations(name, maxKeyLength)
}

/** Checks that no name is in both `set` and `unset`. Paths start at the object that contains both. */
export function conflictViolations(
  set: object,
  unset: readonly string[],
): readonly RuleViolation[] {
  const violations = unset.flatMap((name, index) =>
    Object.hasOwn(set, name) ? [broken('conflict', 'is in set as well', ['unset', index])] : [],
  )
  return violations.slice(0, maxViolations)
}

const outOfRange =
  'is a number beyond ±(2^53 − 1), which would not be kept exactly: send it as a string'

class PropertiesCheck {
  readonly violations: RuleViolation[] = []
  private readonly path: (string | number)[] = []

  add({ code, message }: Pick<RuleViolation, 'code' | 'message'>): void {
    if (this.wantsMore()) this.violations.push(broken(code, message, [...this.path]))
  }

  private refuse(code: ViolationCode, message: string): void {
    this.add({ code, message })
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) this.add(illFormed)
        return
      case 'number':
        if (!isExact(value)) this.refuse('number_out_of_range', outOfRange)
        return
      case 'object':
        if (value !== null) this.container(value)
        return
      case 'boolean':
        return
      default:
        this.refuse('wrong_type', 'must be a JSON value')
    }
  }

  private container(value: object): void {
    if (this.path.length >= maxNesting) {
      this.refuse('too_deep', `must not be nested deeper than ${String(maxNesting)} levels`)
      return
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length && this.wantsMore(); index += 1) {
        this.child(index, value[index])
      }
      return
    }
    for (const [key, member] of Object.entries(value)) {
      if (!this.wantsMore()) return
      if (this.isKey(key)) this.child(key, member)
    }
  }

  private child(step: string | number, value: unknown): void {
    this.path.push(step)
    this.value(value)
    this.path.pop()
  }

  /** Reports a refused key at the path of its parent, because a path with the key would repeat the refused text. */
  private isKey(key: string): boolean {
    const before = this.violations.length
    if (key === '') this.refuse('empty', 'has a member whose key is empty')
    if (isLongerThan(key, maxKeyLength)) {
      this.refuse('too_long', `has a key of more than ${String(maxKeyLength)} characters`)
    }
    if (!key.isWellFormed()) this.refuse('ill_formed', 'has a key that is not well-formed Unicode')
    return this.violations.length === before
  }

  private wantsMore(): boolean {
    return this.violations.length < maxViolations
  }
}

/** Returns whether a double represents the number exactly as it was sent. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
