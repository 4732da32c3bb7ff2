import type { Dictionary } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { seldomMs, useAnswer, type Shown } from './use-answer.js'

/** The names of events and properties that exist. */
export function useDictionary(): Shown<Dictionary> {
  const { client } = useSession()
  return useAnswer(['dictionary'], (signal) => client.dictionary({ signal }), seldomMs)
}
