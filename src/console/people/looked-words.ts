import { shownNumber } from '../parts/numbers.js'
import type { PlaceFound } from './look-through.js'

/** Returns the progress of the searches: `looked at 154 of 154 people in 9 properties`. */
export function lookedWords(found: readonly PlaceFound[], isBusy: boolean): string {
  const last = found.at(-1)
  if (last === undefined) return isBusy ? 'searching …' : 'there are no properties yet'
  const where = `${shownNumber(found.length)} ${found.length === 1 ? 'property' : 'properties'}`
  if (last.isIndexed && found.length === 1) return 'from the index'
  // The figures arrive with the first frame of a search.
  if (last.entities === 0) return `${isBusy ? 'looking' : 'looked'} in ${where}`
  const people = `${shownNumber(last.lookedAt)} of ${shownNumber(last.entities)} people`
  const end = last.state === 'partly' ? ': the search ended at its limit' : ''
  return `${isBusy ? 'looking' : 'looked'} at ${people} in ${where}${end}`
}
