import type { SearchHit } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { justAfter } from './past.js'

/**
 * Returns the address of the timeline that begins with this fact. `at` is the own time of the fact, or the time of
 * recording.
 */
export function factAddress(
  id: string,
  factId: string,
  at: string,
  by: 'occurred' | 'recorded',
): string {
  return addressOf(['people', id], { fact: factId, by, until: justAfter(at) })
}

/** The timeline of a person with an event that a search found as its newest event. */
export function eventAddress(id: string, event: NonNullable<SearchHit['event']>): string {
  const { id: fact, occurred_at: at, voided_at: voidedAt } = event
  const voided = voidedAt === undefined ? undefined : 'shown'
  return addressOf(['people', id], { fact, by: 'occurred', until: justAfter(at), voided })
}
