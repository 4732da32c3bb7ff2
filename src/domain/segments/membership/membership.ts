// Membership of one entity: this folder turns facts and time into membership changes.
// - In: facts in log order or in the order of their own times (`replay.ts`).
// - Stored: `EntityState`, which `conditions.ts` updates and `evaluate.ts` reads through a view.
// - Out: a `MembershipChange` for each entry and exit. `explain.ts` gives the reasons, and `periods.ts` lists
//   periods.
import type { Effect, EntityFact } from '../../facts.js'
import type { CompiledRule } from '../rule/compiled-rule.js'
import { Conditions, propertyTouched, type EarlierFacts, type Touch } from './conditions.js'
import { BeforeChanges } from './entity-views.js'
import { StateView, type EntityState, type EntityView, type Subject } from './entity-state.js'
import { evaluate } from './evaluate.js'

/** A segment in the form that is evaluated. */
export interface ActiveSegment {
  /** The id of the definition. Each definition that changes the meaning of the rule gets a new id. */
  readonly id: string
  /** Undefined for a segment of the kind `hand`. */
  readonly rule: CompiledRule | undefined
}

type MembershipEffect = Exclude<Effect, { readonly kind: 'none' }>

/** The kind of cause of a membership change: the kind of a fact's effect, or `segment`, `time` or `definition`. */
export type CauseKind = MembershipEffect['kind'] | 'segment' | 'time' | 'definition'

/** The reason for a membership change. */
export interface Cause {
  /** `segment` means that the change follows only from changes of the segments that the rule names. */
  readonly kind: CauseKind
  /** The id of the fact that caused the change. Undefined when time caused it. */
  readonly factId?: string
}

export interface MembershipChange {
  readonly segment: string
  readonly enters: boolean
  /** The instant of the change, in milliseconds since 1970. */
  readonly at: number
  readonly cause: Cause
}

/** The replacement of a definition. `from` is undefined for a new segment. `to` is undefined for a retired segment. */
export interface Change {
  readonly from: string | undefined
  readonly to: ActiveSegment | undefined
}

export type OnChange = (change: MembershipChange) => void

/** A fact that may change memberships. In a change by hand, `segment` is the id of an active segment. */
export interface MembershipFact extends Pick<EntityFact, 'id'> {
  /** The own time of the fact, in milliseconds since 1970. */
  readonly at: number
  readonly effect: MembershipEffect
  /** True for the first fact of the entity. All rules are evaluated at this fact. */
  readonly isFirst: boolean
  /**
   * True for the entity's first creation or property change. A property without a value has been missing since
   * this fact.
   */
  readonly beginsProperties: boolean
}

export interface Applying {
  /** The log time at the fact, in milliseconds since 1970. */
  readonly now: number
  readonly earlier: EarlierFacts
  readonly onChange: OnChange
}

/**
 * A set of segments that are evaluated together. The methods apply facts and time to the state of an entity,
 * and change the state in place.
 *
 * `active` is in evaluation order: each segment follows the segments that its rule names. `conditions`
 * contains at least the conditions of `active`, and may contain conditions that later definitions need.
 */
export class SegmentSet {
  /** For each condition, property and segment: the indexes in `active` of the segments to evaluate after a change. */
  private readonly users = new Map<string, number[]>()
  private readonly timed: readonly number[]
  private readonly ruled: readonly number[]
  private readonly marks: Uint8Array
  /** The segments that have changed since the current fact, or the current timer, was applied. */
  private readonly changed = new Set<string>()

  constructor(
    readonly active: readonly ActiveSegment[],
    readonly conditions = new Conditions(active.flatMap(({ rule }) => rule ?? [])),
  ) {
    active.forEach(({ rule }, at) => {
      for (const what of rule === undefined ? [] : dependenciesOf(rule)) this.addUser(what, at)
    })
    this.ruled = indexesOf(active, ({ rule }) => rule !== undefined)
    this.timed = indexesOf(active, ({ rule }) => rule?.isTimed === true)
    this.marks = new Uint8Array(active.length)
  }

  private addUser(what: string, at: number): void {
    const users = this.users.get(what)
    if (users === undefined) this.users.set(what, [at])
    else if (users.at(-1) !== at) users.push(at)
  }

  /** Returns whether the fact can change the state of an entity. `now` is the log time at the fact. */
  concerns({ effect, at }: MembershipFact, now: number): boolean {
    switch (effect.kind) {
      case 'created':
        return this.ruled.length > 0 || this.conditions.concernCreation(effect.set)
      case 'properties':
        return this.conditions.concernProperties(effect, at < now)
      case 'event':
      case 'voided':
        return this.conditions.concernEvent(effect.event.name)
      case 'hand':
        return true
    }
  }

  /** Applies a fact at log time. Before this call, call `passTime` with this log time. */
  applyFact(subject: Subject, state: EntityState, fact: MembershipFact, applying: Applying): void {
    const { now, onChange } = applying
    this.take(state, fact, applying)
    const cause = { kind: fact.effect.kind, factId: fact.id }
    this.evaluateMarked(subject, state, now, cause, onChange)
    if (state.dues !== undefined) state.due = earliest(state.dues)
  }

  private take(state: EntityState, fact: MembershipFact, applying: Applying): void {
    const { touch } = this
    const { id: factId, at, effect, isFirst, beginsProperties } = fact
    const { now, earlier, onChange } = applying
    if (beginsProperties) this.conditions.begin(state, at, touch)
    switch (effect.kind) {
      case 'created':
      case 'properties':
        this.conditions.properties(state, effect, at, earlier.nextChange, touch)
        break
      case 'event':
        this.conditions.event(state, effect.event, at, touch)
        break
      case 'voided':
        this.conditions.voided(state, effect.event, earlier, touch)
        break
      case 'hand': {
        const { segment, isIn } = effect
        if (isIn === state.members.has(segment)) break
        this.change(state, segment, now, { kind: 'hand', factId }, onChange)
      }
    }
    if (isFirst) this.markAll(this.ruled)
  }

  /** Fires all timers up to `until` in order, each at its own instant. */
  passTime(subject: Subject, state: EntityState, until: number, onChange: OnChange): void {
    while (state.due <= until) this.fire(subject, state, onChange)
  }

  /** Fires the timers of the instant `state.due`. */
  fire(subject: Subject, state: EntityState, onChange: OnChange): void {
    const now = state.due
    state.due = Infinity
    const { dues } = state
    const isDue = (at: number) => dues === undefined || (dues[at] ?? Infinity) <= now
    this.markAll(this.timed.filter(isDue))
    this.evaluateMarked(subject, state, now, { kind: 'time' }, onChange)
    if (dues !== undefined) state.due = earliest(dues)
  }

  /**
   * Starts to track `due` for each segment. For each segment that depends on time, begins with the `due` of the
   * state.
   */
  trackDues(state: EntityState): void {
    if (state.dues !== undefined) return
    state.dues = new Float64Array(this.active.length).fill(Infinity)
    for (const at of this.timed) state.dues[at] = state.due
  }

  /**
   * Replaces definitions. `changes` must be in evaluation order. An entity that matches `to` at log time `now`
   * becomes a member at `now`. If the entity was a member of `from`, the start of its membership stays the
   * same. A segment of the kind `hand` keeps its members.
   */
  changeOver(
    subject: Subject,
    state: EntityState,
    changes: readonly Change[],
    { now, cause, onChange }: { now: number; cause: Cause; onChange: OnChange },
  ): void {
    const view = new StateView(subject, state)
    for (const { from = '', to } of changes) {
      const since = state.members.get(from)
      state.members.delete(from)
      const isIn = to !== undefined && this.isIn(to, since, view, state, now)
      if (isIn) state.members.set(to.id, since ?? now)
      if (isIn !== (since !== undefined))
        onChange({ segment: to?.id ?? from, enters: isIn, at: now, cause })
    }
  }

  private isIn(
    { rule }: ActiveSegment,
    since: number | undefined,
    view: EntityView,
    state: EntityState,
    now: number,
  ): boolean {
    return rule === undefined ? since !== undefined : this.holds(rule, view, state, now)
  }

  private holds(
    rule: CompiledRule,
    view: EntityView,
    state: EntityState,
    now: number,
    at?: number,
  ): boolean {
    const { holds, until } = evaluate(rule.node, view, now)
    if (until < state.due) state.due = until
    if (at !== undefined && state.dues !== undefined) state.dues[at] = until
    return holds
  }

  private evaluateMarked(
    subject: Subject,
    state: EntityState,
    now: number,
    cause: Cause,
    onChange: OnChange,
  ): void {
    const view = new StateView(subject, state)
    const { active, marks } = this
    for (let at = marks.indexOf(1); at !== -1; at = marks.indexOf(1, at + 1)) {
      const marked = marks[at]
      marks[at] = 0
      const segment = active[at]
      if (marked !== 1 || segment?.rule === undefined) continue
      const holds = this.holds(segment.rule, view, state, now, at)
      if (holds === state.members.has(segment.id)) continue
      const hasOwnCause = this.changesByItself(segment.rule, view, !holds, now)
      this.change(
        state,
        segment.id,
        now,
        hasOwnCause ? cause : { ...cause, kind: 'segment' },
        onChange,
      )
    }
    this.changed.clear()
  }

  /** Returns whether the result would also have changed if the segments that the rule names had not changed. */
  private changesByItself(
    { node, segments }: CompiledRule,
    view: EntityView,
    before: boolean,
    now: number,
  ): boolean {
    const { changed } = this
    if (segments.size === 0 || ![...segments].some((id) => changed.has(id))) return true
    return evaluate(node, new BeforeChanges(view, changed), now).holds !== before
  }

  private change(
    state: EntityState,
    segment: string,
    now: number,
    cause: Cause,
    onChange: OnChange,
  ): void {
    const enters = !state.members.delete(segment)
    if (enters) state.members.set(segment, now)
    this.changed.add(segment)
    onChange({ segment, enters, at: now, cause })
    this.markAll(this.users.get(segmentTouched(segment)) ?? [])
  }

  private readonly touch: Touch = (what) => {
    this.markAll(this.users.get(what) ?? [])
  }

  private markAll(indexes: readonly number[]): void {
    for (const at of indexes) this.marks[at] = 1
  }
}

function earliest(dues: Float64Array): number {
  let first = Infinity
  for (const due of dues) if (due < first) first = due
  return first
}

function segmentTouched(id: string): string {
  return `segment ${id}`
}

/** Returns everything that can change the result of a rule, in the form that `Touch` receives. */
function dependenciesOf({
  matchers,
  sustainedTests,
  names,
  segments,
}: CompiledRule): readonly string[] {
  return [
    ...matchers.map(({ id }) => id),
    ...sustainedTests.map(({ id }) => id),
    ...[...names].map(propertyTouched),
    ...[...segments].map(segmentTouched),
  ]
}

function indexesOf(
  active: readonly ActiveSegment[],
  isWanted: (segment: ActiveSegment) => boolean,
): readonly number[] {
  return active.flatMap((segment, at) => (isWanted(segment) ? [at] : []))
}
