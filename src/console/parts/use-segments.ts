import type { Segment } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAnswer, type Shown } from './use-answer.js'

/** Returns all segments. With `everyMs` = 0, asks once. */
export function useSegments(everyMs = 0): Shown<readonly Segment[]> {
  const { client } = useSession()
  return useAnswer(['segments'], (signal) => client.segments.list({}, { signal }).all(), everyMs)
}
