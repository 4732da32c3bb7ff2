/** At most how many places are written down. */
export const maxPlaces = 2_000

/** How far apart two of them are at least, in positions; twice as far whenever there are too many. */
const firstDistance = 1_048_576

/**
 * Where the removed facts of a person were, thinned: a store removes what lies close together at one time, so
 * that a fact far from its neighbours stands for itself, and one of many close ones for all. The first and
 * the last are always among them. A value: JSON keeps it.
 */
export interface RemovedPlaces {
  readonly distance: number
  /** Descending. */
  readonly some: readonly number[]
  /** The lowest of all. */
  readonly first: number | undefined
}

export const noPlaces: RemovedPlaces = { distance: firstDistance, some: [], first: undefined }

/** Adds places before all those so far. */
export function addPlaces(places: RemovedPlaces, added: readonly number[]): RemovedPlaces {
  let { distance } = places
  let some = thinned([...places.some, ...added.toSorted((left, right) => right - left)], distance)
  while (some.length >= maxPlaces) some = thinned(some, (distance *= 2))
  return { distance, some, first: added.length === 0 ? places.first : Math.min(...added) }
}

/** In the order of the log. */
export function shownPlaces({ some, first }: RemovedPlaces): readonly string[] {
  const all = first === undefined || some.at(-1) === first ? some : [...some, first]
  return all.toReversed().map(String)
}

/** The same places with others that come behind all of them. */
export function withLatePlaces(
  shown: readonly string[],
  late: readonly string[],
): readonly string[] {
  const places = addPlaces(addPlaces(noPlaces, late.map(Number)), shown.map(Number))
  return late.length === 0 ? shown : shownPlaces(places)
}

function thinned(descending: readonly number[], distance: number): readonly number[] {
  const some: number[] = []
  for (const position of descending) {
    const last = some.at(-1)
    if (last === undefined || last - position >= distance) some.push(position)
  }
  return some
}
