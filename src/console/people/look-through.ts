import type { Calls } from '../../client/calls.js'
import { DossierError, type SearchHit, type SearchQuery } from '../../client/dossier.js'
import { pause, pauseAfter } from '../../client/waiting.js'
import type { SearchPlace } from './columns.js'

/** The results so far of a search for one property. */
export interface PlaceFound {
  readonly place: SearchPlace
  readonly hits: readonly SearchHit[]
  readonly lookedAt: number
  readonly entities: number
  readonly isIndexed: boolean
  /** `partly` means that the search ended at a limit, so more people may match. */
  readonly state: 'searching' | 'whole' | 'partly'
}

/**
 * Searches one property after another for a text, because the service runs one search per key. Calls `changed` with all
 * results after each frame. When a search ends at a limit, starts no further search, because it would take as long.
 * Throws `DossierError`.
 */
export async function lookThrough(
  client: Calls,
  places: readonly SearchPlace[],
  is: string,
  signal: AbortSignal,
  changed: (found: readonly PlaceFound[]) => void,
): Promise<void> {
  const done: PlaceFound[] = []
  for (const place of places) {
    const last = await searchPlace(client, place, is, signal, (found) => {
      changed([...done, found])
    })
    done.push(last)
    if (last.state !== 'whole') return
  }
}

/** A search in one place. It finds voided events too, because users look for what was taken back. */
export function searchQuery(place: SearchPlace, is: string): SearchQuery {
  return place.event === undefined ? { ...place, is } : { ...place, include: 'voided', is }
}

/** Searches one property. While another search with the key runs, waits for its end. */
async function searchPlace(...search: Parameters<typeof searchOnce>): Promise<PlaceFound> {
  const [, , , signal] = search
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await searchOnce(...search)
    } catch (error) {
      const isTaken = error instanceof DossierError && error.code === 'search_under_way'
      if (!isTaken) throw error
      await pause(pauseAfter(attempt), signal)
    }
  }
}

async function searchOnce(
  client: Calls,
  place: SearchPlace,
  is: string,
  signal: AbortSignal,
  changed: (found: PlaceFound) => void,
): Promise<PlaceFound> {
  let found: PlaceFound = {
    place,
    hits: [],
    lookedAt: 0,
    entities: 0,
    isIndexed: false,
    state: 'searching',
  }
  changed(found)
  for await (const { event, data } of client.entities.search(searchQuery(place, is), { signal })) {
    if (event === 'hits') found = { ...found, hits: [...found.hits, ...data.items] }
    else found = { ...found, lookedAt: data.looked_at, entities: data.entities }
    if (event === 'result') {
      const state = data.complete ? 'whole' : 'partly'
      found = { ...found, isIndexed: data.indexed, state }
    }
    changed(found)
  }
  return found
}
