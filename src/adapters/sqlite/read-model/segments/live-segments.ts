import type { CompiledRule } from '../../../../domain/segments/compiled-rule.js'
import { byActiveId, dependenciesFirst } from '../../../../domain/segments/dependencies-first.js'
import { SegmentSet } from '../../../../domain/segments/membership.js'
import type { SubjectFact } from '../../../../domain/segments/replay.js'
import type { Catalog } from '../../../../domain/segments/catalog.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Database } from '../../file/driver.js'
import { Pace, type Slice } from '../slice.js'
import { EntityRows } from './entity-rows.js'
import { Epochs } from './epochs.js'
import type { KeptSegments } from './kept-segments.js'
import { conditionsOf } from './known-conditions.js'
import { buildBundle, liveBundle } from './bundles.js'
import { SegmentEngine } from './segment-engine.js'
import type { Tellings } from './tellings.js'

/** How long an entity that is due takes, in milliseconds, while none was measured. */
const evaluationMs = 0.05

/** The segments that are evaluated as the log goes on: what is served, and what soon will be. */
export class LiveSegments {
  private engine: SegmentEngine | undefined
  private rowsNow: EntityRows | undefined
  private readonly epochs: Epochs
  private readonly pace = new Pace(evaluationMs)
  private rules: ReadonlyMap<string, CompiledRule | undefined> = new Map()
  /** How often what is defined or served changed. */
  changes = 0

  constructor(
    private readonly db: Database,
    private readonly catalog: Catalog,
    private readonly kept: KeptSegments,
    private readonly tellings: Tellings,
  ) {
    this.epochs = new Epochs(db)
  }

  /** Undefined while no segment is evaluated. */
  get rows(): EntityRows | undefined {
    return this.rules.size === 0 ? undefined : this.rowsNow
  }

  /** Nothing is due before; Infinity: nothing is due. */
  get nextDue(): number {
    return this.rows?.nextDue ?? Infinity
  }

  /** The same states as another connection to the same file sees them. */
  rowsOver(db: Database): EntityRows | undefined {
    return this.rows?.over(db)
  }

  /** Of a segment that is evaluated; undefined: members are put in by hand. */
  ruleOf(active: string): CompiledRule | undefined {
    return this.rules.get(active)
  }

  /**
   * Also while no segment is evaluated: when one is again, no state may be due in the past. False: the
   * slice was over before all was done that is due.
   */
  passTime(until: number, slice: Slice): boolean {
    const { engine } = this
    if (engine === undefined || engine.nextDue > until) return true
    const begun = performance.now()
    const evaluations = engine.passTime(until, slice)
    this.pace.took(evaluations, performance.now() - begun)
    return engine.nextDue > until
  }

  /** What is due up to log time `until` takes longer than about so many milliseconds from this instant on. */
  dueBeyond(milliseconds: number, until: number): number {
    const { rowsNow } = this
    if (rowsNow === undefined || rowsNow.nextDue > until) return Infinity
    return rowsNow.dueAfter(this.pace.piecesIn(milliseconds))
  }

  apply(entity: number, fact: SubjectFact, now: number, position: number): void {
    this.engine?.apply(entity, fact, now, position)
  }

  write(): void {
    if (this.engine === undefined) this.kept.write()
    else this.engine.write()
    this.tellings.write()
  }

  /**
   * After the definitions changed, or a build came to its end. What is needed no longer is dropped.
   * `isJoining`: states are still in the bundle of the build.
   */
  refresh(isJoining: boolean): void {
    this.changes += 1
    this.write()
    this.tellings.refresh()
    const evaluated = this.needed()
    this.rules = new Map(evaluated.map(({ active }) => [active.id, active.rule]))
    for (const { active } of this.kept.of(liveBundle)) {
      if (!this.rules.has(active)) this.kept.drop(active)
    }
    const known = this.epochs.keep(conditionsOf(evaluated))
    const joined = isJoining ? buildBundle : undefined
    this.rowsNow = new EntityRows(this.db, liveBundle, joined, known)
    const set = new SegmentSet(evaluated.map((segment) => segment.active))
    this.engine = new SegmentEngine(
      this.rowsNow,
      this.kept.in(liveBundle),
      this.tellings.onFlip,
      set,
      evaluated,
    )
  }

  /** What is served or defined, and what that depends on, as far as it is kept: dependencies first. */
  private needed(): readonly DefinedSegment[] {
    const { timeline, served, pending } = this.catalog
    const known = byActiveId(timeline.steps)
    const isKept = (id: string) => this.kept.get(id)?.bundle === liveBundle
    const wanted = [...served, ...pending].map(({ active }) => active)
    return dependenciesFirst(wanted, (id) => (isKept(id) ? known.get(id) : undefined))
  }
}
