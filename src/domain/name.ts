import type { RuleViolation } from './rule-violation.js'

export const maxNameLength = 255

const control = /\p{Cc}/u

/** Characters are code points: an emoji of one code point counts one. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  if (text.length > limit * 2) return true
  let characters = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) {
    characters += 1
  }
  return characters > limit
}

/**
 * The rule of every name a caller chooses (`external_id`, an event's `name`): 1–255 characters of
 * any script, well-formed, no control character, no white space at either end, not `.` or `..`
 * (a URL path cannot carry those). Names are compared exactly and never normalised.
 */
export function nameViolations(value: string): readonly RuleViolation[] {
  if (value === '') return [{ path: [], code: 'empty', message: 'must not be empty' }]
  const violations: RuleViolation[] = []
  const add = (code: RuleViolation['code'], message: string) =>
    violations.push({ path: [], code, message })
  if (isLongerThan(value, maxNameLength)) {
    add('too_long', `must have at most ${String(maxNameLength)} characters`)
  }
  if (!value.isWellFormed()) {
    add('ill_formed', 'must be well-formed Unicode: it holds half of a surrogate pair')
  }
  if (control.test(value)) add('bad_characters', 'must not contain control characters')
  if (value.trim() !== value) {
    add('bad_characters', 'must not begin or end with white space')
  }
  if (value === '.' || value === '..') add('bad_characters', 'must not be "." or ".."')
  return violations
}
