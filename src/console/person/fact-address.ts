import { addressOf } from '../frame/route.js'
import { justAfter } from './past.js'

/** The timeline of a person with this fact as its newest entry. `at`: when it happened, or was recorded. */
export function factAddress(
  id: string,
  factId: string,
  at: string,
  by: 'occurred' | 'recorded',
): string {
  return addressOf(['people', id], { fact: factId, by, until: justAfter(at) })
}
