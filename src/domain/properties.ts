import type { Fault, FaultCode } from './rule-violation.js'
import { isLongerThan } from './name.js'

export const mostMembers = 512
export const longestKey = 255
export const deepestNesting = 8
/** A body of faults is cut here: whoever sends more has one mistake, not a thousand. */
export const mostFaults = 100

/**
 * The rules of `properties`: at most 512 members at the top, keys of 1–255 well-formed characters at
 * every level, nesting of at most 8 (`{"a":1}` is 1, `{"a":{}}` is 2), whole numbers that a double
 * holds exactly, well-formed text. Expects what a JSON parser returns; finds at most 100 faults.
 */
export function propertiesFaults(properties: object): readonly Fault[] {
  const check = new PropertiesCheck()
  if (Object.keys(properties).length > mostMembers) {
    check.add('too_many', `must have at most ${String(mostMembers)} members`)
  }
  check.value(properties)
  return check.faults
}

const illFormed = 'must be well-formed Unicode: it holds half of a surrogate pair'
const outOfRange =
  'is a number beyond ±(2^53 − 1), which would not be kept exactly: send it as a string'

class PropertiesCheck {
  readonly faults: Fault[] = []
  private readonly path: (string | number)[] = []

  add(code: FaultCode, message: string): void {
    if (this.wantsMore()) this.faults.push({ path: [...this.path], code, message })
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        if (!value.isWellFormed()) this.add('ill_formed', illFormed)
        return
      case 'number':
        if (!isKeptExactly(value)) this.add('number_out_of_range', outOfRange)
        return
      case 'object':
        if (value !== null) this.container(value)
        return
      case 'boolean':
        return
      default:
        this.add('wrong_type', 'must be a JSON value')
    }
  }

  private container(value: object): void {
    if (this.path.length >= deepestNesting) {
      this.add('too_deep', `must not be nested deeper than ${String(deepestNesting)} levels`)
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

  /** A faulty key is named by its parent: a path through it would repeat the refused text. */
  private isKey(key: string): boolean {
    const before = this.faults.length
    if (key === '') this.add('empty', 'has a member whose key is empty')
    if (isLongerThan(key, longestKey)) {
      this.add('too_long', `has a key of more than ${String(longestKey)} characters`)
    }
    if (!key.isWellFormed()) this.add('ill_formed', 'has a key that is not well-formed Unicode')
    return this.faults.length === before
  }

  private wantsMore(): boolean {
    return this.faults.length < mostFaults
  }
}

function isKeptExactly(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}
