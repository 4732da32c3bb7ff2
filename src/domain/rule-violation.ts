/** What can be wrong with a value. Published: programs branch on it. */
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

/** One broken rule. `path` leads from the value that was checked to where it is broken. */
export interface RuleViolation {
  readonly path: readonly (string | number)[]
  readonly code: ViolationCode
  /** For people: what to do. Never holds the refused value. */
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

/** `what`: the name of several of them. */
export function tooMany(most: number, what: string): RuleViolation {
  return broken('too_many', `must have at most ${String(most)} ${what}`)
}
