import { broken, illFormed, isEmpty, tooLong, type RuleViolation } from './rule-violation.js'

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
  if (value === '') return [isEmpty]
  const violations = [...textViolations(value, maxNameLength)]
  const refuse = (message: string) => violations.push(broken('bad_characters', message))
  if (control.test(value)) refuse('must not contain control characters')
  if (value.trim() !== value) refuse('must not begin or end with white space')
  if (value === '.' || value === '..') refuse('must not be "." or ".."')
  return violations
}

/** The rule of any text: well-formed, and at most so long. */
export function textViolations(text: string, most: number): readonly RuleViolation[] {
  return [
    ...(isLongerThan(text, most) ? [tooLong(most)] : []),
    ...(text.isWellFormed() ? [] : [illFormed]),
  ]
}
