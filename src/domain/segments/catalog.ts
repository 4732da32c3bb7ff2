import type { NameCondition } from './rule/matcher.js'
import type { SegmentBuilt, SegmentRetired } from './segment-facts.js'
import {
  Timeline,
  type DefinedSegment,
  type PlacedDefinition,
  type DefinitionStep,
} from './timeline.js'

interface CatalogVersion {
  readonly segment: DefinedSegment
  /** The time of retirement, in UTC. Undefined for a version that is live or that a newer version replaced. */
  readonly retiredAt: string | undefined
}

/**
 * All versions of every segment, and for each segment the version that queries use: the newest version with a
 * `SegmentBuilt` in the log. Every process therefore changes to a new version at the same position. The catalog
 * is derived from the streams `segments` and `members-…`.
 */
export class Catalog {
  readonly timeline: Timeline
  private readonly versionsByKey = new Map<string, CatalogVersion[]>()
  private readonly servedByKey = new Map<string, DefinedSegment>()

  constructor(nameOf: NameCondition) {
    this.timeline = new Timeline([], nameOf)
  }

  define(definition: PlacedDefinition): DefinitionStep {
    const { fact } = definition
    const step = this.timeline.add(definition)
    if (fact.type === 'SegmentRetired') this.retire(fact)
    else this.addVersion(fact.data.segment)
    return step
  }

  private retire({ data }: SegmentRetired): void {
    const versions = this.versionsByKey.get(data.segment)
    const last = versions?.at(-1)
    if (last !== undefined) versions?.splice(-1, 1, { ...last, retiredAt: data.retiredAt })
    this.servedByKey.delete(data.segment)
  }

  private addVersion(key: string): void {
    const segment = this.defined(key)
    if (segment === undefined) return
    const versions = this.versionsByKey.get(key) ?? []
    versions.push({ segment, retiredAt: undefined })
    this.versionsByKey.set(key, versions)
  }

  /** Returns every version of a segment, oldest first. Includes versions of a retired segment. */
  versionsOf(key: string): readonly CatalogVersion[] {
    return this.versionsByKey.get(key) ?? []
  }

  /**
   * Makes queries use the version that was backfilled, and returns this version. Returns undefined when a
   * newer definition replaced the version before its backfill was complete.
   */
  built({ data }: SegmentBuilt): DefinedSegment | undefined {
    const defined = this.defined(data.segment)
    if (defined?.version !== data.version || defined.through.factId !== data.through) {
      return undefined
    }
    this.servedByKey.set(defined.key, defined)
    return defined
  }

  /** The newest version of each segment, in evaluation order. */
  get segments(): readonly DefinedSegment[] {
    return this.timeline.segments
  }

  defined(key: string): DefinedSegment | undefined {
    return this.segments.find((segment) => segment.key === key)
  }

  servedAs(key: string): DefinedSegment | undefined {
    return this.servedByKey.get(key)
  }

  get served(): readonly DefinedSegment[] {
    return [...this.servedByKey.values()]
  }

  get pending(): readonly DefinedSegment[] {
    return this.segments.filter((segment) => this.servedByKey.get(segment.key) !== segment)
  }
}
