import type { RuleViolation } from './rule-violation.js'

/** The rule of an instant that is asked about: not later than `now`, when the question was received. */
export function pastInstantViolations(instant: Date, now: Date): readonly RuleViolation[] {
  if (instant.getTime() <= now.getTime()) return []
  return [{ path: [], code: 'in_future', message: 'must not be later than now' }]
}
