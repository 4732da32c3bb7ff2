import type { Json } from '../../json.js'
import { always, never, type Verdict } from '../rule/instant-test.js'
import { propertyAt } from '../rule/pointer.js'

/** The part of an entity that never changes after its creation. */
export interface Subject {
  readonly externalId: string
  /** In milliseconds since 1970. */
  readonly createdAt: number
  /** The entity's bucket under a salt, 0 to 9,999. */
  readonly bucketOf: (salt: string) => number
}

/**
 * The state that suffices to evaluate every rule for an entity at any later instant. Its size does not grow
 * with the number of facts. Instants are milliseconds since 1970.
 */
export interface EntityState {
  /** The values of the properties that rules name, by top-level property name. */
  readonly properties: Map<string, Json>
  /** By matcher: the instants of the newest matching events, newest first. */
  readonly instants: Map<string, readonly number[]>
  /** By matcher: the instant of the newest matching event, and whether the event passes `last`. */
  readonly last: Map<string, readonly [at: number, passes: boolean]>
  /** By `for` condition: since when the test has passed without interruption. */
  readonly sustainedSince: Map<string, number>
  /** By segment: since when the entity has been a member. */
  readonly members: Map<string, number>
  /** The earliest instant at which time alone may change a segment. Infinity when it never does. */
  due: number
  /**
   * `due` of each segment, by the segment's index in its `SegmentSet`, so that only due segments are
   * evaluated. Undefined when not computed, for example after loading a stored state.
   */
  dues?: Float64Array | undefined
}

export function emptyState(): EntityState {
  return {
    properties: new Map(),
    instants: new Map(),
    last: new Map(),
    sustainedSince: new Map(),
    members: new Map(),
    due: Infinity,
  }
}

/** The data about an entity that the evaluation of a rule reads. */
export interface EntityView {
  readonly subject: Subject
  /** The property value at a parsed pointer. Undefined when there is none. */
  property(steps: readonly string[]): Json | undefined
  /**
   * The instants of events that a matcher counts, newest first: all of them, or as many as the matcher keeps.
   */
  instantsOf(matcher: string): readonly number[]
  lastPasses(matcher: string): boolean
  sustainedSince(test: string): number | undefined
  /**
   * Whether the entity is in another segment. `until` matters only when nobody re-evaluates the rule after
   * that segment changes.
   */
  inSegment(segment: string, now: number): Verdict
}

const none: readonly number[] = []

export class StateView implements EntityView {
  constructor(
    readonly subject: Subject,
    private readonly state: EntityState,
  ) {}

  property(steps: readonly string[]): Json | undefined {
    return propertyAt(this.state.properties, steps)
  }

  instantsOf(matcher: string): readonly number[] {
    return this.state.instants.get(matcher) ?? none
  }

  lastPasses(matcher: string): boolean {
    return this.state.last.get(matcher)?.[1] === true
  }

  sustainedSince(test: string): number | undefined {
    return this.state.sustainedSince.get(test)
  }

  /** `until` may be Infinity: a change of the segment re-evaluates every segment that depends on it. */
  inSegment(segment: string): Verdict {
    return this.state.members.has(segment) ? always : never
  }
}
