import type { RuleViolation } from '../domain/rule-violation.js'

/** A rule names what it may not name. Nothing was written. */
export class RuleRefused extends Error {
  readonly code = 'validation_failed'
  override readonly name = 'RuleRefused'

  /** The paths lead from the rule. */
  constructor(readonly violations: readonly RuleViolation[]) {
    super('the rule names what it may not name')
  }
}
