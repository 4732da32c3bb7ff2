import { broken, illFormed, isEmpty, tooLong, type RuleViolation } from './rule-violation.js'

export const maxNameLength = 255

const control = /\p{Cc}/u

/** Returns whether a text has more than `limit` code points. An emoji of one code point counts as one. */
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
 * Checks a name that a caller chose: an `external_id`, or the `name` of an event. A name has 1 to 255
 * characters of any script. It is well-formed, has no control characters, and has no white space at either end.
 * The names `.` and `..` are refused, because a URL path cannot contain them. Names are compared exactly and
 * never normalised.
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

/** Checks that a text is well-formed and has at most `most` characters. */
export function textViolations(text: string, most: number): readonly RuleViolation[] {
  return [
    ...(isLongerThan(text, most) ? [tooLong(most)] : []),
    ...(text.isWellFormed() ? [] : [illFormed]),
  ]
}
