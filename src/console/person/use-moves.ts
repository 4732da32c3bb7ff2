import type { EntitySegments, PastQuery } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAnswer, type Shown } from '../parts/use-answer.js'
import { useSegments } from '../parts/use-segments.js'
import { movesOf, segmentsAtMost, type Move } from './moves.js'
import { isPast } from './past.js'

export interface Moves {
  readonly items: readonly Move[]
  /** Whether more segments exist than were requested. */
  readonly isCut: boolean
}

/**
 * The interval at which entries and exits are requested, in milliseconds. It is long, because each segment needs a
 * request.
 */
const movesMs = 60_000

/**
 * Returns the entries and exits of a person. Requests them at once when `current` changes. `current` contains the
 * person's segments at the time that the page shows.
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
