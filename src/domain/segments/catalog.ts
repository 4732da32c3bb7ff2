import type { NameCondition } from './matcher.js'
import type { SegmentBuilt } from './segment-facts.js'
import {
  Timeline,
  type DefinedSegment,
  type PlacedDefinition,
  type TimelineStep,
} from './timeline.js'

/**
 * Which definition of each segment is served: the newest one whose `SegmentBuilt` the log has told, in
 * every process from the same position on. A fold of the streams `segments` and `members-…`.
 */
export class Catalog {
  readonly timeline: Timeline
  private readonly servedByKey = new Map<string, DefinedSegment>()

  constructor(nameOf: NameCondition) {
    this.timeline = new Timeline([], nameOf)
  }

  define(definition: PlacedDefinition): TimelineStep {
    const { fact } = definition
    if (fact.type === 'SegmentRetired') this.servedByKey.delete(fact.data.segment)
    return this.timeline.add(definition)
  }

  /** What is served from here on; undefined: another definition overtook the one that was built. */
  built({ data }: SegmentBuilt): DefinedSegment | undefined {
    const defined = this.defined(data.segment)
    if (defined?.version !== data.version || defined.through.factId !== data.through) {
      return undefined
    }
    this.servedByKey.set(defined.key, defined)
    return defined
  }

  /** In the order in which they are evaluated. */
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

  /** Defined and not served yet. */
  get pending(): readonly DefinedSegment[] {
    return this.segments.filter((segment) => this.servedByKey.get(segment.key) !== segment)
  }
}
