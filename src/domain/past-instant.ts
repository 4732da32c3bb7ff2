import type { RuleViolation } from './rule-violation.js'

/** The rule of an instant in a query: not later than `now`, when the request was received. */
export function pastInstantViolations(instant: Date, now: Date): readonly RuleViolation[] {
  if (instant.getTime() <= now.getTime()) return []
  return [{ path: [], code: 'in_future', message: 'must not be later than now' }]
}
