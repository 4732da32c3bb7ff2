/** The kinds of violations. The codes are public, because client programs branch on them. */
export const violationCodes = [
  'required',
  'wrong_type',
  'empty',
  'too_long',
  'too_many',
  'too_deep',
  'unknown_field',
  'bad_characters',
  'ill_formed',
  'number_out_of_range',
  'conflict',
  'unknown_operation',
  'not_a_time',
  'in_future',
  'unknown_segment',
  'cycle',
] as const

export type ViolationCode = (typeof violationCodes)[number]

/** One violation of a rule. `path` leads from the checked value to the part that violates the rule. */
export interface RuleViolation {
  readonly path: readonly (string | number)[]
  readonly code: ViolationCode
  /** A sentence that tells a person what to do. It never contains the refused value. */
  readonly message: string
}

export function broken(
  code: ViolationCode,
  message: string,
  path: RuleViolation['path'] = [],
): RuleViolation {
  return { path, code, message }
}

export const isEmpty = broken('empty', 'must not be empty')
export const illFormed = broken(
  'ill_formed',
  'must be well-formed Unicode: it holds half of a surrogate pair',
)

export function tooLong(most: number): RuleViolation {
  return broken('too_long', `must have at most ${String(most)} characters`)
}

/** Returns the violation of a limit on a number of items. `what` is a plural noun, such as `members`. */
export function tooMany(most: number, what: string): RuleViolation {
  return broken('too_many', `must have at most ${String(most)} ${what}`)
}
