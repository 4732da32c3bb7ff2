import { isUnreadable } from '../facts/stored-fact.js'
import { isRefused, refusedAnswers } from '../ports/refusal.js'

/** Returns whether the error only means that the query has no answer, and not that the read model has failed. */
export function isRefusedAnswer(error: unknown): boolean {
  return isRefused(error, ...refusedAnswers) || isUnreadable(error)
}
