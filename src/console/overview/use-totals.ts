import type { Totals } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAnswer, type Shown } from '../parts/use-answer.js'

/** Returns the numbers of people and events, in total and for each of the last 30 days. */
export function useTotals(everyMs = oftenMs): Shown<Totals> {
  const { client } = useSession()
  return useAnswer(['totals'], (signal) => client.totals({}, { signal }), everyMs)
}
