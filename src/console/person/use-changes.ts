import type { HistoryEntry, PastQuery } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { seldomMs, useAnswer, type Shown } from '../parts/use-answer.js'
import { isPast } from './past.js'
import { lostNames, type LostNames } from './property-history.js'

/** The creation of a person and the changes of their properties. */
export interface Changes {
  /** Newest first, by own time. */
  readonly items: readonly HistoryEntry[]
  /** Older changes exist that `items` lacks. */
  readonly isCut: boolean
  readonly lost: LostNames
}

/** The most changes that a page of the history has. */
const changesAtMost = 1_000

export const noChanges: Changes = { items: [], isCut: false, lost: {} }

/** The changes of a person up to a time in the past, or all of them. */
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
