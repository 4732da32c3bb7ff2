/** The members of a segment that `SegmentVersions` uses. */
interface Versioned {
  readonly key: string
  readonly active: { readonly id: string }
  readonly through: { readonly position: number }
}

interface DefinedAt {
  /** The index of the definition in the list of all definitions. */
  readonly step: number
  /** The position of the definition in the log. */
  readonly position: number
}

interface Version<Segment> extends DefinedAt {
  /** The version that was defined. Undefined when the definition retires the segment. */
  readonly segment: Segment | undefined
}

/** All versions of each segment, by key. A query about one segment reads only the versions of that segment. */
export class SegmentVersions<Segment extends Versioned> {
  private readonly byKey = new Map<string, Version<Segment>[]>()
  /**
   * For each segment, the keys that its rules have ever named. Each key has the position of the first rule that
   * named it.
   */
  private readonly named = new Map<string, Map<string, number>>()
  private readonly byActive = new Map<string, Segment>()

  /** Adds a version. Call it in log order. `named` contains the keys that the segment's rule names. */
  add(segment: Segment, { step, position }: DefinedAt, named: readonly string[]): void {
    const { key, active } = segment
    this.push(key, { segment, step, position })
    this.byActive.set(active.id, segment)
    const before = this.named.get(key) ?? new Map<string, number>()
    for (const other of named) if (!before.has(other)) before.set(other, position)
    this.named.set(key, before)
  }

  retire(key: string, { step, position }: DefinedAt): void {
    this.push(key, { segment: undefined, step, position })
  }

  /** Returns the version of a segment at a position, or undefined when the segment did not exist then. */
  at(key: string, position: number): Segment | undefined {
    const versions = this.versionsOf(key)
    return versions[countUntil(versions, positionOf, position) - 1]?.segment
  }

  /** Returns the newest version with this active id. */
  active(id: string): Segment | undefined {
    return this.byActive.get(id)
  }

  /** Returns the version or retirement that followed this version, or undefined for a current version. */
  after({ key, through }: Segment): Version<Segment> | undefined {
    const versions = this.versionsOf(key)
    return versions[countUntil(versions, positionOf, through.position)]
  }

  /** Returns the indexes of the definitions up to a position that changed the segment. */
  stepsUntil(key: string, position: number): readonly number[] {
    const versions = this.versionsOf(key)
    return versions.slice(0, countUntil(versions, positionOf, position)).map(({ step }) => step)
  }

  /** Returns the keys that the segment's rules named up to a position. */
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

function positionOf({ position }: DefinedAt): number {
  return position
}

/** Returns the number of items at or before a position. The list must be in the order of positions. */
export function countUntil<T>(
  list: readonly T[],
  positionOf: (item: T) => number,
  position: number,
): number {
  let [from, to] = [0, list.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const item = list[middle]
    if (item !== undefined && positionOf(item) <= position) from = middle + 1
    else to = middle
  }
  return from
}
