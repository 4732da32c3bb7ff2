/** The maximum number of positions in a sample. */
export const maxPlaces = 2_000

/** The initial minimum distance between two positions of a sample. It doubles whenever the sample is too large. */
const firstDistance = 1_048_576

/**
 * A sample of the positions of an entity's removed facts. A store removes neighbouring facts together, so one
 * position can represent all positions near it. The sample always includes the first and the last position.
 * It consists of plain data, so JSON preserves it.
 */
export interface RemovedPlaces {
  readonly distance: number
  /** The positions of the sample, in descending order. */
  readonly some: readonly number[]
  /** The lowest of all positions. */
  readonly first: number | undefined
}

export const noPlaces: RemovedPlaces = { distance: firstDistance, some: [], first: undefined }

/** Adds positions to a sample. The added positions must be lower than all earlier positions. */
export function addPlaces(places: RemovedPlaces, added: readonly number[]): RemovedPlaces {
  let { distance } = places
  let some = thinned([...places.some, ...added.toSorted((left, right) => right - left)], distance)
  while (some.length >= maxPlaces) some = thinned(some, (distance *= 2))
  return { distance, some, first: added.length === 0 ? places.first : Math.min(...added) }
}

/** Returns the positions as texts, in ascending order. */
export function shownPlaces({ some, first }: RemovedPlaces): readonly string[] {
  const all = first === undefined || some.at(-1) === first ? some : [...some, first]
  return all.toReversed().map(String)
}

/** Adds the positions `late`, which must be higher than all positions in `shown`. */
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
