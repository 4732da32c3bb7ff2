import type { EntitySegments, PastQuery } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAnswer, type Shown } from '../parts/use-answer.js'
import { useSegments } from '../parts/use-segments.js'
import { movesOf, segmentsAtMost, type Move } from './moves.js'
import { isPast } from './past.js'

export interface Moves {
  readonly items: readonly Move[]
  /** More segments exist than were asked about. */
  readonly isCut: boolean
}

/** How often the enters and leaves are requested, in milliseconds: they take a request for each segment. */
const movesMs = 60_000

/**
 * The enters and leaves of a person. They are requested at once when the segments of the person change. `current`: the
 * segments of the person at the time that the page shows.
 */
export function useMoves(
  id: string,
  past: PastQuery,
  current: EntitySegments | undefined,
): Shown<Moves> {
  const { client } = useSession()
  const keys = useSegments().value?.map(({ key }) => key) ?? []
  const asked = keys.slice(0, segmentsAtMost)
  const isKnown = current !== undefined && asked.length > 0
  const state = [current?.items.map(({ key, since }) => [key, since]), current?.segments_building]
  return useAnswer(
    ['enters and leaves of', id, past, asked, state],
    async (signal) => ({
      items: isKnown ? await movesOf(client, id, asked, past, signal) : [],
      isCut: keys.length > asked.length,
    }),
    isPast(past) ? 0 : movesMs,
  )
}
