import type { Dictionary } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { seldomMs, useAnswer, type Shown } from './use-answer.js'

/** Returns the names of all events and properties. */
export function useDictionary(): Shown<Dictionary> {
  const { client } = useSession()
  return useAnswer(['dictionary'], (signal) => client.dictionary({ signal }), seldomMs)
}
