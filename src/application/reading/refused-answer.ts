import { isUnreadable } from '../facts/stored-fact.js'
import { isRefused, refusedAnswers } from '../ports/refusal.js'

/**
 * Returns whether the error only means that this query has no answer. Any other error means that
 * the read model has failed.
 */
export function isRefusedAnswer(error: unknown): boolean {
  return isRefused(error, ...refusedAnswers) || isUnreadable(error)
}
