import { ownTimeOf, type EntityFact, type PropertyChange } from '../../../../../domain/facts.js'
import type { Catalog } from '../../../../../domain/segments/catalog.js'
import type { CompiledRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import { dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import { SegmentSet, type OnChange } from '../../../../../domain/segments/membership/membership.js'
import { membershipFact, noEarlierFacts } from '../../../../../domain/segments/membership/replay.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { changesName } from '../../entity-log/entity-changes.js'
import type { ErasedBy } from '../../projection.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { Pace, type Slice } from '../../slice.js'
import { EntityStates, type DueEntity, type EntityRow } from './entity-states.js'
import type { Generations } from './generations.js'
import { LateSearches } from './late-searches.js'
import { conditionsOf, StateNumbers } from './state-numbers.js'
import type { Publications } from '../publishing/publications.js'

/**
 * The assumed time to evaluate the timers of one entity, in milliseconds. Measurements replace the assumption.
 */
const evaluationMs = 0.05

const dueAtOnce = 500

interface Evaluated {
  readonly segments: readonly DefinedSegment[]
  readonly set: SegmentSet
}

const nothing: Evaluated = { segments: [], set: new SegmentSet([]) }

/**
 * Keeps members and entity states up to date as facts are applied and log time advances.
 * - Input: facts of entities (`apply`), log time (`passTime`), and erasures (`forget`).
 * - Stored: the state of each entity (`entity-states.ts`, packed by `state-bytes.ts` with the numbers of
 *   `state-numbers.ts`), and the members of each rule version (`generations.ts`). A `Generation` is one version
 *   of a segment's rule.
 * - Output: each membership change is passed to `publishing/change-recorder.ts`.
 *
 * A rule version whose backfill is running is evaluated only for entities that the backfill has replayed.
 */
export class LiveSegments {
  /** The segments whose backfill is complete. They are evaluated for every entity. */
  private built = nothing
  /** The segments in `built` and the segments whose backfill is running. */
  private all = nothing
  builtUpTo = 0
  private builtConditions: ReadonlySet<string> = new Set()
  private statesNow: EntityStates | undefined
  readonly lateSearches: LateSearches
  private readonly pace = new Pace(evaluationMs)
  private rules: ReadonlyMap<string, CompiledRule | undefined> = new Map()
  /** The number of changes to the set of defined segments or to the versions that queries use. */
  changes = 0

  constructor(
    private readonly tables: Pick<ReadModelTables, 'db' | 'ids' | 'changes' | 'events' | 'lent'>,
    private readonly catalog: Catalog,
    private readonly generations: Generations,
    private readonly publications: Publications,
  ) {
    this.lateSearches = new LateSearches(tables, this)
  }

  /** Returns the states of entities, or undefined while no segment is evaluated. */
  get states(): EntityStates | undefined {
    return this.rules.size === 0 ? undefined : this.statesNow
  }

  /** Returns every evaluated segment, including segments whose backfill is running. */
  get segments(): readonly DefinedSegment[] {
    return this.all.segments
  }

  /** Returns whether the rule of a backfilled segment uses the condition. */
  isUsed(condition: string): boolean {
    return this.builtConditions.has(condition)
  }

  get nextDue(): number {
    return this.states?.nextDue ?? Infinity
  }

  /** Returns the rule of an evaluated segment, or undefined when callers add the members explicitly. */
  ruleOf(active: string): CompiledRule | undefined {
    return this.rules.get(active)
  }

  /**
   * Fires every timer that is due at or before log time `until`, each at its own instant and in order. Returns
   * false when the slice ended before all timers fired. Timers fire even while no segment is evaluated, so that
   * a segment that is defined later finds no overdue timers.
   */
  passTime(until: number, slice: Slice): boolean {
    const { statesNow } = this
    if (statesNow === undefined || statesNow.nextDue > until) return true
    const begun = performance.now()
    const evaluations = this.evaluateDue(statesNow, until, slice)
    this.pace.took(evaluations, performance.now() - begun)
    return statesNow.nextDue > until
  }

  private evaluateDue(states: EntityStates, until: number, slice: Slice): number {
    let evaluations = 0
    while (states.nextDue <= until) {
      const due = [...states.dueUntil(until, dueAtOnce)]
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        this.fire(states, next, due, until)
        evaluations += 1
        if (slice.endsHere()) return evaluations
      }
    }
    return evaluations
  }

  private fire(states: EntityStates, next: DueEntity, due: DueEntity[], until: number): void {
    const row = states.get(next.entity)
    if (row === undefined || row.state.due > next.due) return
    this.evaluatedFor(next.entity).set.fire(row.subject, row.state, this.changesOf(row, 0))
    states.change(row)
    const again = { entity: next.entity, due: row.state.due }
    const last = due.at(-1)
    if (again.due > until || last === undefined || isBefore(last, again)) return
    due.splice(
      due.findIndex((other) => isBefore(again, other)),
      0,
      again,
    )
  }

  /**
   * Returns the instant of the first timer that cannot be evaluated within about `milliseconds`. Returns
   * Infinity when there is none, or when no timer is due up to `until`.
   */
  dueBeyond(milliseconds: number, until: number): number {
    const { statesNow } = this
    if (statesNow === undefined || statesNow.nextDue > until) return Infinity
    return statesNow.dueAfter(this.pace.piecesIn(milliseconds))
  }

  /**
   * Applies the fact at `position` to the state and the memberships of an entity. Call `passTime(now)` first.
   */
  apply(entity: number, fact: EntityFact, now: number, position: number): void {
    const concerned = this.concerned(entity, fact, now)
    const row = concerned && this.states?.get(entity)
    if (concerned === undefined || row === undefined) return
    const { set, taken } = concerned
    // Only a void, and a fact with a time from the caller, can read earlier facts.
    const mayReadEarlier = fact.occurredAt !== undefined || fact.effect.kind === 'voided'
    set.applyFact(row.subject, row.state, taken, {
      now,
      earlier: mayReadEarlier ? this.lateSearches.earlierAt(entity, position) : noEarlierFacts,
      onChange: this.changesOf(row, position),
    })
    this.statesNow?.change(row)
  }

  /** Returns whether a `for` condition of an evaluated segment tests a property that the change sets or unsets. */
  concernSustained(change: PropertyChange): boolean {
    const { sustainedTests } = this.all.set.conditions
    for (const name of sustainedTests.keys()) if (changesName(change, name)) return true
    return false
  }

  /**
   * Returns the effect of a fact and the set that evaluates the effect. Returns undefined when the fact cannot change
   * the state of the entity.
   */
  concerned(entity: number, fact: EntityFact, now: number) {
    const { segments, set } = this.evaluatedFor(entity)
    const taken = membershipFact(fact, ownTimeOf(fact, now), segments)
    return taken !== undefined && set.concerns(taken, now) ? { set, taken } : undefined
  }

  /**
   * Removes an erased entity from all segments. If `by` is present, also records for publishing that the entity
   * left.
   */
  forget(entity: number, by: ErasedBy | undefined): void {
    const states = this.statesNow
    const row = states?.get(entity)
    if (states === undefined || row === undefined) return
    for (const active of row.state.members.keys()) {
      const generation = this.generations.get(active)
      if (generation === undefined || (!generation.isBuilt && entity > this.builtUpTo)) continue
      this.generations.leave(generation, row)
      if (by !== undefined) this.publications.recorder.erase(generation, row, by)
    }
    this.generations.write()
    states.forget(entity)
  }

  private evaluatedFor(entity: number): Evaluated {
    return entity <= this.builtUpTo ? this.all : this.built
  }

  private changesOf(row: EntityRow, position: number): OnChange {
    return (change) => {
      const generation = this.generations.get(change.segment)
      if (generation === undefined) return
      if (change.enters) this.generations.enter(generation, row, change.at)
      else this.generations.leave(generation, row)
      this.publications.recorder.record(generation, row, { change, position })
    }
  }

  /** Writes the buffered changes before the commit when there are many, so that the commit stays short. */
  spill(): void {
    if (this.statesNow?.isFull === true || this.generations.isFull) this.write()
  }

  write(): void {
    this.statesNow?.write()
    this.generations.write()
    this.publications.write()
  }

  /**
   * Updates the evaluated segments, and drops rule versions that no segment needs. Call it when the tables are opened,
   * after a definition changed, and after a backfill started or ended.
   */
  refresh(builtUpTo: number): void {
    const { db, lent } = this.tables
    // Every profile lists the segments that are not backfilled yet.
    lent.endAll()
    this.changes += 1
    this.builtUpTo = builtUpTo
    this.write()
    this.publications.refresh()
    const needed = this.needed()
    this.rules = new Map(needed.map(({ active }) => [active.id, active.rule]))
    for (const { active } of this.generations.all) {
      if (!this.rules.has(active)) this.generations.drop(active)
    }
    this.all = evaluated(needed)
    const built = needed.filter(({ active }) => this.generations.built(active.id) !== undefined)
    this.built = built.length === needed.length ? this.all : evaluated(built)
    this.builtConditions = conditionsOf(built).conditions
    const numbers = new StateNumbers(db, conditionsOf(needed), this.generations.numberOf)
    numbers.removeOthers(db)
    this.statesNow = new EntityStates(db, numbers)
  }

  /**
   * Returns the segment versions that must be evaluated: the versions that queries use, the versions to be
   * backfilled, and the segments that their rules refer to. Omits versions that have no `Generation` yet.
   */
  private needed(): readonly DefinedSegment[] {
    const { timeline, served, pending } = this.catalog
    const wanted = [...served, ...pending].map(({ active }) => active)
    const isHere = (id: string) => this.generations.get(id) !== undefined
    return dependenciesFirst(wanted, (id) => (isHere(id) ? timeline.active(id) : undefined))
  }
}

function evaluated(segments: readonly DefinedSegment[]): Evaluated {
  return { segments, set: new SegmentSet(segments.map(({ active }) => active)) }
}

function isBefore(left: DueEntity, right: DueEntity): boolean {
  return left.due < right.due || (left.due === right.due && left.entity < right.entity)
}
