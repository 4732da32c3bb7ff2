import { isUnreadable } from '../facts/stored-fact.js'
import { isRefused, refusedAnswers } from '../ports/refusal.js'

/** Whether a query has no answer, and the read model itself has not failed. */
export function isRefusedAnswer(error: unknown): boolean {
  return isRefused(error, ...refusedAnswers) || isUnreadable(error)
}
