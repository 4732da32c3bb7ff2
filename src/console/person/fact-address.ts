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
