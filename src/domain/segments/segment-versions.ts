/** As far as a segment is looked at here. */
interface Versioned {
  readonly key: string
  readonly active: { readonly id: string }
  readonly through: { readonly position: number }
}

interface Place {
  /** Of the definition among all definitions. */
  readonly place: number
  readonly position: number
}

interface Version<Segment> extends Place {
  /** Undefined: it is retired. */
  readonly segment: Segment | undefined
}

/** Every version of each segment: a question about one segment looks at none of the others' versions. */
export class SegmentVersions<Segment extends Versioned> {
  private readonly byKey = new Map<string, Version<Segment>[]>()
  /** What the rules of a key have named, and the position from which on. */
  private readonly named = new Map<string, Map<string, number>>()
  private readonly byActive = new Map<string, Segment>()

  /** To be called in the order of the log. `named`: the keys that its rule names. */
  add(segment: Segment, { place, position }: Place, named: readonly string[]): void {
    const { key, active } = segment
    this.push(key, { segment, place, position })
    this.byActive.set(active.id, segment)
    const before = this.named.get(key) ?? new Map<string, number>()
    for (const other of named) if (!before.has(other)) before.set(other, position)
    this.named.set(key, before)
  }

  retire(key: string, { place, position }: Place): void {
    this.push(key, { segment: undefined, place, position })
  }

  at(key: string, position: number): Segment | undefined {
    const versions = this.versionsOf(key)
    return versions[countUntil(versions, positionOf, position) - 1]?.segment
  }

  /** The newest one that has this id in evaluation. */
  active(id: string): Segment | undefined {
    return this.byActive.get(id)
  }

  /** What replaced a segment; undefined: it is there. */
  after({ key, through }: Segment): Version<Segment> | undefined {
    const versions = this.versionsOf(key)
    return versions[countUntil(versions, positionOf, through.position)]
  }

  /** The places of the definitions up to a position that changed it. */
  placesUntil(key: string, position: number): readonly number[] {
    const versions = this.versionsOf(key)
    return versions.slice(0, countUntil(versions, positionOf, position)).map(({ place }) => place)
  }

  /** The keys that its rules named up to a position. */
  namedUntil(key: string, position: number): readonly string[] {
    const named = [...(this.named.get(key) ?? [])]
    return named.flatMap(([other, from]) => (from <= position ? [other] : []))
  }

  private push(key: string, version: Version<Segment>): void {
    const versions = this.byKey.get(key)
    if (versions === undefined) this.byKey.set(key, [version])
    else versions.push(version)
  }

  private versionsOf(key: string): readonly Version<Segment>[] {
    return this.byKey.get(key) ?? noVersions
  }
}

const noVersions: readonly Version<never>[] = []

function positionOf({ position }: Place): number {
  return position
}

/** How many of these lie at a position or before it; they are in its order. */
export function countUntil<T>(
  list: readonly T[],
  positionOf: (one: T) => number,
  position: number,
): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const one = list[middle]
    if (one !== undefined && positionOf(one) <= position) from = middle + 1
    else to = middle
  }
  return from
}
