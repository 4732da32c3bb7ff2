import type { HistoryEntry, PastQuery } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { seldomMs, useAnswer, type Shown } from '../parts/use-answer.js'
import { isPast } from './past.js'
import { lostNames, type LostNames } from './property-history.js'

/** The creation of a person and the changes of their properties. */
export interface Changes {
  /** The changes by own time, newest first. */
  readonly items: readonly HistoryEntry[]
  /** Whether older changes exist that `items` does not contain. */
  readonly isCut: boolean
  readonly lost: LostNames
}

/** The maximum number of changes on a page of the history. */
const changesAtMost = 1_000

export const noChanges: Changes = { items: [], isCut: false, lost: {} }

/** Returns the changes of a person, up to a past time if `past` contains one. */
export function useChanges(id: string, past: PastQuery): Shown<Changes> {
  const { client } = useSession()
  return useAnswer(
    ['changes of', id, past],
    async (signal) => {
      const query = { ...past, limit: changesAtMost }
      const [byOwnTime, byRecording] = await Promise.all([
        client.entities.history(id, { ...query, by: 'occurred' }, { signal }).page(),
        client.entities.history(id, query, { signal }).page(),
      ])
      return {
        items: byOwnTime.items,
        isCut: byOwnTime.next_cursor !== null,
        lost: lostNames(byOwnTime.items, byRecording.items),
      }
    },
    isPast(past) ? 0 : seldomMs,
  )
}
