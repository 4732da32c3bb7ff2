import { ownTimeOf, type EntityFact } from '../../facts.js'
import type { Json } from '../../json.js'
import type { ChangeAt } from '../../property-times.js'
import { epochMsOf } from '../../timestamp.js'
import { always, never, type Verdict } from '../rule/instant-test.js'
import { propertyAt } from '../rule/pointer.js'

/** Data of an entity. It never changes after the creation. */
export interface Subject {
  readonly externalId: string
  /** The own time of the creation, in milliseconds since 1970. */
  readonly createdAt: number
  /** Returns the entity's bucket for a salt, a number from 0 to 9,999. */
  readonly bucketOf: (salt: string) => number
}

/**
 * Returns the instant that `created` rules test: the time of recording, or the own time if the caller gave a time.
 * `logTime` is the log time at the creation.
 */
export function createdAtOf(creation: EntityFact, logTime: number): number {
  const { occurredAt, recordedAt } = creation
  return occurredAt === undefined ? epochMsOf(recordedAt) : ownTimeOf(creation, logTime)
}

/**
 * The state of one entity. It is sufficient to evaluate every rule for the entity at any later instant. Its
 * size does not grow with the number of facts. Instants are milliseconds since 1970.
 */
export interface EntityState {
  /** The values of the top-level properties that rules name, by name. */
  readonly properties: Map<string, Json>
  /** For each property name that rules use, the latest own time at which it was set or unset. */
  readonly times: Map<string, number>
  /** For each matcher, the instants of the newest matching events, newest first. */
  readonly instants: Map<string, readonly number[]>
  /** For each matcher, the instant of the newest matching event, and whether the event passes `last`. */
  readonly last: Map<string, readonly [at: number, passes: boolean]>
  /** For each `for` condition, the instant since which its test has passed without interruption. */
  readonly sustainedSince: Map<string, number>
  /**
   * For each `for` condition in `sustainedSince`, the own time of the property's last change before the
   * condition began to hold. Absent when there is no such change. A late change between this time and the
   * beginning moves the beginning to itself if it passes the test. Otherwise it moves this time.
   */
  readonly brokenAt: Map<string, number>
  /** For each segment of the entity, the instant since which the entity has been a member. */
  readonly members: Map<string, number>
  /** The earliest instant at which a membership may change without a new fact. Infinity when there is none. */
  due: number
  /**
   * The value of `due` for each segment, by the segment's index in its `SegmentSet`. Used to evaluate only the
   * segments that are due. Undefined until it is computed, for example after a stored state was loaded.
   */
  dues?: Float64Array | undefined
}

export function emptyState(): EntityState {
  return {
    properties: new Map(),
    times: new Map(),
    instants: new Map(),
    last: new Map(),
    sustainedSince: new Map(),
    brokenAt: new Map(),
    members: new Map(),
    due: Infinity,
  }
}

/** Returns whether the state knows a later set or unset of one of the changed properties. */
export function isLateFor(
  { times }: EntityState,
  { at, change: { set, unset } }: ChangeAt,
): boolean {
  const isBefore = (name: string) => at < (times.get(name) ?? -Infinity)
  return Object.keys(set).some(isBefore) || unset.some(isBefore)
}

/** Returns a copy of a state. Property changes of the copy do not affect `state`. */
export function copyForChanges(state: EntityState): EntityState {
  const { properties, times, sustainedSince, brokenAt } = state
  return {
    ...state,
    properties: new Map(properties),
    times: new Map(times),
    sustainedSince: new Map(sustainedSince),
    brokenAt: new Map(brokenAt),
  }
}

/** The data about an entity that the evaluation of a rule needs. */
export interface EntityView {
  readonly subject: Subject
  /** Returns the property value at a parsed pointer, or undefined when there is none. */
  property(steps: readonly string[]): Json | undefined
  /**
   * Returns the instants of events that a matcher counts, newest first. A view may return only as many
   * instants as the matcher keeps.
   */
  instantsOf(matcher: string): readonly number[]
  lastPasses(matcher: string): boolean
  sustainedSince(test: string): number | undefined
  /**
   * Returns whether the entity is in another segment. `until` may be later than the next change of that
   * segment, if each of its changes evaluates the rule again.
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

  /**
   * Returns a verdict whose `until` is Infinity, because a change of the segment re-evaluates every segment
   * that depends on it.
   */
  inSegment(segment: string): Verdict {
    return this.state.members.has(segment) ? always : never
  }
}
