import type { Json } from '../../json.js'
import { always, never, type Verdict } from '../rule/instant-test.js'
import { propertyAt } from '../rule/pointer.js'

/** An entity as the rules see it, whatever happens to it later. */
export interface Subject {
  readonly externalId: string
  /** In milliseconds since 1970. */
  readonly createdAt: number
  /** The share of a salt that it falls into, 0 to 9,999. */
  readonly bucketOf: (salt: string) => number
}

/**
 * The state of an entity with which every rule can be evaluated at any later instant: it does not grow
 * with its facts. Instants are milliseconds since 1970.
 */
export interface EntityState {
  /** Those that rules name, by their names at the top. */
  readonly properties: Map<string, Json>
  /** By matcher: when the newest events that match occurred, the newest first. */
  readonly instants: Map<string, readonly number[]>
  /** By matcher: when the newest event that matches occurred, and whether it passes. */
  readonly last: Map<string, readonly [at: number, passes: boolean]>
  /** By test of a value: since when it is true without a break. */
  readonly sustainedSince: Map<string, number>
  /** By segment: since when the entity has been in it. */
  readonly members: Map<string, number>
  /** No segment changes before, unless a fact does it; Infinity: never. */
  due: number
  /**
   * The same of each segment, by its place in the set that evaluates it: then only those that are due are
   * evaluated. Undefined: not computed, as in a state that was stored.
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

/** An entity, as a rule is evaluated for it. */
export interface EntityView {
  readonly subject: Subject
  /** The value in the properties that the steps of a pointer lead to; undefined when there is none. */
  property(steps: readonly string[]): Json | undefined
  /** When events that a matcher counts occurred, the newest first: all of them, or as many as it keeps. */
  instantsOf(matcher: string): readonly number[]
  lastPasses(matcher: string): boolean
  sustainedSince(test: string): number | undefined
  /** Whether the entity is in another segment; `until` is needed only where a change of that segment is not reported. */
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

  /** When that segment changes, all that depend on it are evaluated. */
  inSegment(segment: string): Verdict {
    return this.state.members.has(segment) ? always : never
  }
}
