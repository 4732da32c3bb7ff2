import type { Webhook } from '../../client/dossier.js'
import { counted, shownNumber } from '../parts/numbers.js'
import { agoWords } from '../parts/times.js'

/** Returns the number of facts that a webhook has not delivered yet, and the age of the oldest of them. */
export function lagWords(behind: Webhook['behind']): string {
  if (behind === null) return 'not known'
  const { facts, more, seconds } = behind
  if (facts === 0 && !more) return 'up to date'
  const waiting = more ? `over ${shownNumber(facts)} facts` : counted(facts, 'fact')
  return seconds < 1 ? waiting : `${waiting}, for ${agoWords(seconds * 1_000)}`
}
