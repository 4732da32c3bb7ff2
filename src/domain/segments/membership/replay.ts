import { ownTimeOf, type EntityFact } from '../../facts.js'
import { atOnce, type InPieces } from '../../in-pieces.js'
import { Conditions, type EarlierFacts } from './conditions.js'
import {
  copyForChanges,
  emptyState,
  isLateFor,
  type EntityState,
  type Subject,
} from './entity-state.js'
import { SegmentSet, type Cause, type MembershipFact, type OnChange } from './membership.js'
import type { DefinedSegment, TimelineStep } from '../timeline.js'

/**
 * Replays the facts of one entity together with all definitions, and derives the entity's memberships. The
 * result equals the state of the entity in the read model. Call the methods in log order.
 */
export class Replay {
  readonly state: EntityState = emptyState()
  /** True when the entity exists. */
  private exists = false
  private hasProperties = false
  private set: SegmentSet

  /**
   * `setOf` returns the set that evaluates a list of segments. `segments` is the list of segments at the start.
   * `order` is the order of the facts: by position, or by own time. In the order of own times, a change or an
   * event that precedes the creation already makes the entity exist.
   */
  constructor(
    private readonly subject: Subject,
    private readonly setOf: (segments: readonly DefinedSegment[]) => SegmentSet,
    private segments: readonly DefinedSegment[],
    private readonly onChange: OnChange = ignoreChange,
    private readonly order: 'position' | 'own time' = 'position',
  ) {
    this.set = setOf(segments)
  }

  define({ since, changes, segments }: TimelineStep): void {
    this.passTime(since.logTime)
    this.segments = segments
    this.set = this.setOf(segments)
    const cause: Cause = { kind: 'definition', factId: since.factId }
    const { subject, state, onChange } = this
    state.dues = undefined
    if (!this.exists) return
    this.set.changeOver(subject, state, changes, { now: since.logTime, cause, onChange })
  }

  /**
   * Applies a fact. `now` is the log time at the fact, in milliseconds since 1970. In the order of own times,
   * `now` is the own time of the fact. `earlier` is read only in position order. In the order of own times,
   * there are no late changes, and the caller leaves out voided events.
   */
  apply(fact: EntityFact, now: number, earlier: EarlierFacts = noEarlierFacts): void {
    this.passTime(now)
    const beganBefore = { exists: this.exists, hasProperties: this.hasProperties }
    this.begin(fact)
    const taken = this.exists
      ? membershipFact(fact, ownTimeOf(fact, now), this.segments)
      : undefined
    if (taken === undefined) return
    const placed = {
      ...taken,
      isFirst: !beganBefore.exists,
      beginsProperties: this.hasProperties && !beganBefore.hasProperties,
    }
    const { subject, state, onChange } = this
    this.set.trackDues(state)
    this.set.applyFact(subject, state, placed, { now, earlier, onChange })
  }

  /**
   * Returns the properties whose next changes `apply` will look up. Only a late change needs them. The caller may run
   * the searches in pieces before it calls `apply`.
   */
  searchesOf(fact: EntityFact, now: number): ReadonlySet<string> {
    const { effect, occurredAt } = fact
    if (effect.kind !== 'properties' || occurredAt === undefined || !this.exists) return none
    const placed = { at: ownTimeOf(fact, now), change: effect }
    if (!isLateFor(this.state, placed)) return none
    const names = new Set<string>()
    const nextChange = (name: string) => {
      names.add(name)
      return undefined
    }
    const state = copyForChanges(this.state)
    this.set.conditions.properties(state, effect, placed.at, nextChange, () => undefined)
    return names
  }

  private begin({ effect: { kind } }: EntityFact): void {
    const isByOwnTime = this.order === 'own time'
    if (kind === 'created' || (isByOwnTime && (kind === 'properties' || kind === 'event'))) {
      this.exists = true
    }
    if (kind === 'created' || (isByOwnTime && kind === 'properties')) this.hasProperties = true
  }

  passTime(until: number): void {
    if (this.state.due > until) return
    this.set.trackDues(this.state)
    this.set.passTime(this.subject, this.state, until, this.onChange)
  }
}

const none: ReadonlySet<string> = new Set()

const ignoreChange: OnChange = () => undefined

const unread = () => {
  throw new Error('a fact that is neither late nor a void does not read earlier facts')
}

/** Throws when it is read. For facts that are neither late nor a void. */
export const noEarlierFacts: EarlierFacts = {
  nextChange: unread,
  voided: unread,
  newestEvents: unread,
}

/** Returns a reader of the facts of an entity up to the fact at a position. */
export type EarlierFactsAt = (position: number) => EarlierFacts

/** A replay that also applies each definition of a timeline at its position in the log. */
export class TimelineReplay<Step extends TimelineStep = TimelineStep> {
  /** The position of the latest applied fact. */
  position = 0
  private nextStep: number

  /** `steps` must be in log order. The replay already includes the steps up to the position `after`. */
  constructor(
    private readonly replay: Replay,
    private readonly steps: readonly Step[],
    private readonly earlierAt: EarlierFactsAt,
    after = 0,
    private readonly onStep: (step: Step, state: EntityState) => void = () => undefined,
  ) {
    const next = steps.findIndex(({ since }) => since.position > after)
    this.nextStep = next < 0 ? steps.length : next
  }

  searchesOf(fact: EntityFact, now: number): ReadonlySet<string> {
    return this.replay.searchesOf(fact, now)
  }

  /** Applies a fact. `now` is the log time at the fact, in milliseconds since 1970. */
  apply(fact: EntityFact, position: number, now: number): void {
    atOnce(this.defineUntil(position))
    this.position = position
    this.replay.apply(fact, now, this.earlierAt(position))
  }

  end(now: number): EntityState {
    atOnce(this.defineUntil(Infinity))
    this.replay.passTime(now)
    return this.replay.state
  }

  /**
   * Applies the definitions before a position, in pieces, because there may be thousands of definitions between
   * two facts.
   */
  *defineUntil(position: number): InPieces<void> {
    const { steps } = this
    for (
      let step = steps[this.nextStep];
      step !== undefined && step.since.position < position;
      step = steps[this.nextStep]
    ) {
      this.replay.define(step)
      this.onStep(step, this.replay.state)
      this.nextStep += 1
      yield
    }
  }
}

/**
 * Returns a fact's effect on memberships, if any. A change by hand affects only a live segment of the kind
 * `hand`. `at` is the own time of the fact.
 */
export function membershipFact(
  { id, effect }: EntityFact,
  at: number,
  segments: readonly DefinedSegment[],
): MembershipFact | undefined {
  if (effect.kind === 'none') return undefined
  const isFirst = effect.kind === 'created'
  const beginsProperties = isFirst
  if (effect.kind !== 'hand') return { id, at, effect, isFirst, beginsProperties }
  const named = segments.find(({ key, kind }) => key === effect.segment && kind === 'hand')
  if (named === undefined) return undefined
  const ofActive = { ...effect, segment: named.active.id }
  return { id, at, effect: ofActive, isFirst, beginsProperties }
}

/**
 * Returns a function that returns the `SegmentSet` for a list of segments. The sets are cached by list
 * object. Every set has the conditions of all `lists` and of `others`. A state that one list produced is
 * therefore also sufficient for later lists and for the segments in `others`.
 */
export function segmentSets(
  lists: readonly (readonly DefinedSegment[])[],
  others: readonly DefinedSegment[] = [],
): (segments: readonly DefinedSegment[]) => SegmentSet {
  const rules = new Set([...lists.flat(), ...others].flatMap(({ active }) => active.rule ?? []))
  const conditions = new Conditions(rules)
  const sets = new Map<readonly DefinedSegment[], SegmentSet>()
  return (segments) => {
    const cached = sets.get(segments)
    if (cached !== undefined) return cached
    const set = new SegmentSet(
      segments.map(({ active }) => active),
      conditions,
    )
    sets.set(segments, set)
    return set
  }
}
