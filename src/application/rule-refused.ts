import type { RuleViolation } from '../domain/rule-violation.js'

/** A rule names what it may not name, or a profile takes no more of what is set. Nothing was written. */
export class RuleRefused extends Error {
  readonly code = 'validation_failed'
  override readonly name = 'RuleRefused'

  /** The paths lead from the part of the request that `of` names. */
  constructor(
    readonly violations: readonly RuleViolation[],
    readonly of: 'rule' | 'set' = 'rule',
  ) {
    super('what was sent breaks a rule that its own form does not show')
  }
}
