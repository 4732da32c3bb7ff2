import type { EntityFact } from '../../../../../domain/facts.js'
import type { Catalog } from '../../../../../domain/segments/catalog.js'
import type { CompiledRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import { dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import { SegmentSet, type OnChange } from '../../../../../domain/segments/membership/membership.js'
import { membershipFact } from '../../../../../domain/segments/membership/replay.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import type { Database } from '../../../file/driver.js'
import type { ErasedBy } from '../../projection.js'
import { Pace, type Slice } from '../../queries/slice.js'
import { EntityStates, type DueEntity, type EntityRow } from './entity-states.js'
import type { Generations } from './generations.js'
import { conditionsOf, StateNumbers } from './state-numbers.js'
import type { Publications } from '../publishing/publications.js'

/** How long an entity that is due takes, in milliseconds, while none was measured. */
const evaluationMs = 0.05

const dueAtOnce = 500

interface Evaluated {
  readonly segments: readonly DefinedSegment[]
  readonly set: SegmentSet
}

const nothing: Evaluated = { segments: [], set: new SegmentSet([]) }

/**
 * The segments that are evaluated as the log goes on: what is served, and what soon will be. A generation
 * that is being built is evaluated for the entities that were replayed, and for no other.
 */
export class LiveSegments {
  /** What is built is evaluated for every entity. */
  private built = nothing
  /** The same, and what is being built. */
  private all = nothing
  builtUpTo = 0
  private builtConditions: ReadonlySet<string> = new Set()
  private statesNow: EntityStates | undefined
  private readonly pace = new Pace(evaluationMs)
  private rules: ReadonlyMap<string, CompiledRule | undefined> = new Map()
  /** How often what is defined or served changed. */
  changes = 0

  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
    private readonly generations: Generations,
    private readonly publications: Publications,
  ) {}

  /** Undefined while no segment is evaluated. */
  get states(): EntityStates | undefined {
    return this.rules.size === 0 ? undefined : this.statesNow
  }

  /** Those that are being built as well. */
  get segments(): readonly DefinedSegment[] {
    return this.all.segments
  }

  isLookedAt(condition: string): boolean {
    return this.builtConditions.has(condition)
  }

  get nextDue(): number {
    return this.states?.nextDue ?? Infinity
  }

  /** The rule of a segment that is evaluated; undefined: members are put in by hand. */
  ruleOf(active: string): CompiledRule | undefined {
    return this.rules.get(active)
  }

  /**
   * Evaluates what is due up to log time `until`, each at its own instant, in order. Also while no segment
   * is evaluated: when one is again, no state may be due in the past. False: the slice was over before all
   * was done.
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

  /** The instant from which on what is due up to log time `until` takes longer than about `milliseconds`. */
  dueBeyond(milliseconds: number, until: number): number {
    const { statesNow } = this
    if (statesNow === undefined || statesNow.nextDue > until) return Infinity
    return statesNow.dueAfter(this.pace.piecesIn(milliseconds))
  }

  /** The fact at a position, at log time `now`, after `passTime` up to there. */
  apply(entity: number, fact: EntityFact, now: number, position: number): void {
    const { segments, set } = this.evaluatedFor(entity)
    const taken = membershipFact(fact, segments)
    if (taken === undefined || !set.concerns(taken)) return
    const row = this.states?.get(entity)
    if (row === undefined) return
    set.applyFact(row.subject, row.state, taken, now, this.changesOf(row, position))
    this.statesNow?.change(row)
  }

  /** The entity is erased by a fact: it leaves what it is in. */
  erase(entity: number, by: ErasedBy | undefined): void {
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
    states.erase(entity)
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

  spill(): void {
    if (this.statesNow?.isFull === true || this.generations.isFull) this.write()
  }

  write(): void {
    this.statesNow?.write()
    this.generations.write()
    this.publications.write()
  }

  /** After the definitions changed, or a build began or ended. What is needed no longer is dropped. */
  refresh(builtUpTo: number): void {
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
    const numbers = new StateNumbers(this.db, conditionsOf(needed), this.generations.numberOf)
    numbers.removeOthers(this.db)
    this.statesNow = new EntityStates(this.db, numbers)
  }

  /** What is served or defined, and what that depends on, as far as it is evaluated here. */
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
