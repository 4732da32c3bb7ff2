import { readFact } from '../../../../application/facts/fact-format.js'
import type { Fact } from '../../../../application/facts/fact-table.js'
import { logTimeAfter } from '../../../../domain/log-time.js'
import { Conditions } from '../../../../domain/segments/conditions.js'
import { SegmentSet } from '../../../../domain/segments/membership.js'
import { relatedSteps } from '../../../../domain/segments/related-steps.js'
import type {
  DefinedSegment,
  Timeline,
  TimelineStep,
} from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numbersIn } from '../../file/row.js'
import type { EntityIds } from '../entity-ids.js'
import type { KnownFacts } from '../known-facts.js'
import type { Baselines } from './baselines.js'
import { EntityRows } from './entity-rows.js'
import type { KeptSegments } from './kept-segments.js'
import { allAlong, conditionsOf } from './known-conditions.js'
import { SegmentEngine } from './segment-engine.js'
import { subjectOf } from './subject-of.js'

/** How much of the log one step takes. */
const pageLimits = { facts: 500, bytes: 1_048_576 }
const entitiesAtOnce = 1_000

/** The bundle of what is built. */
export const buildBundle = 1

export interface BuildPlace {
  /** Definitions up to this position hold; later ones are another build's. */
  readonly prefix: number
  /** Everything up to here is evaluated. */
  readonly reached: number
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
}

export interface BuildParts {
  readonly db: Database
  readonly facts: KnownFacts
  readonly ids: EntityIds
  readonly timeline: Timeline
  readonly kept: KeptSegments
  readonly baselines: Baselines
}

/**
 * Evaluates segments from the beginning of the log, with all definitions that they and those that they
 * depend on had one after another: who is a member since when depends on the ones before.
 */
export class SegmentBuild {
  private readonly steps: ReadonlyMap<number, TimelineStep>
  private readonly conditions: Conditions
  private readonly rows: EntityRows
  private readonly entities: Statement
  private engine: SegmentEngine

  /** What `kept` has in the bundle of the build is what is built. */
  constructor(
    private readonly parts: BuildParts,
    public place: BuildPlace,
  ) {
    const { db, timeline, kept } = parts
    const { prefix } = place
    const wanted = timeline
      .at(prefix)
      .filter(({ active }) => kept.get(active.id)?.bundle === buildBundle)
    const before = timeline.steps.filter(({ since }) => since.position <= prefix)
    const steps = relatedSteps(before, wanted)
    this.steps = byPosition(steps)
    const segments = steps.flatMap((step) => step.segments)
    this.conditions = new Conditions(segments.flatMap(({ active }) => active.rule ?? []))
    this.rows = new EntityRows(db, buildBundle, undefined, allAlong(conditionsOf(segments)))
    const last = steps.findLast(({ since }) => since.position <= place.reached)
    this.engine = this.engineOf(last?.segments ?? [])
    this.entities = prepareRows(
      db,
      'SELECT entity FROM entities WHERE entity > ? AND entity <= ? ORDER BY entity LIMIT ?',
    )
  }

  /** Evaluates some more; true when it has come to `until`, the position of the last known fact. */
  step(until: number): boolean {
    const page = this.parts.facts.page(this.place.reached, until, pageLimits)
    for (const logged of page) {
      const fact = readFact(logged)
      if (fact !== undefined) this.apply(fact, logged.position)
      this.place = { ...this.place, reached: logged.position }
    }
    if (page.length === 0) this.place = { ...this.place, reached: until }
    this.engine.write()
    return page.length === 0
  }

  private apply(fact: Fact, position: number): void {
    const logTime = logTimeAfter(this.place.logTime, fact)
    this.place = { ...this.place, logTime }
    this.engine.passTime(logTime)
    const subject = subjectOf(fact)
    if (subject !== undefined) {
      const entity = this.parts.ids.of(subject.externalId)
      if (entity !== undefined) this.engine.apply(entity, subject.fact, logTime)
    }
    const step = this.steps.get(position)
    if (step !== undefined && step.changes.length > 0) this.changeOver(step)
    if (fact.type === 'SegmentDefined') this.keepBaselines(position)
  }

  private changeOver(step: TimelineStep): void {
    this.engine.write()
    this.engine = this.engineOf(step.segments)
    for (let last = 0; ;) {
      const page = this.entities.all(last, step.since.position, entitiesAtOnce)
      for (const row of page) {
        last = numbersIn(row)[0] ?? 0
        this.engine.changeOver(last, step)
      }
      this.engine.write()
      if (page.length < entitiesAtOnce) return
    }
  }

  /** Also of a later definition: it may have changed nothing but a title. */
  private keepBaselines(position: number): void {
    for (const segment of this.parts.timeline.at(position)) {
      const kept = this.parts.kept.get(segment.active.id)
      const isBuilt = kept?.bundle === buildBundle && segment.through.position === position
      if (isBuilt) this.parts.baselines.add(segment, kept)
    }
  }

  private engineOf(segments: readonly DefinedSegment[]): SegmentEngine {
    const active = segments.map((segment) => segment.active)
    const set = new SegmentSet(active, this.conditions)
    return new SegmentEngine(this.rows, this.parts.kept.in(buildBundle), set, segments)
  }
}

function byPosition(steps: readonly TimelineStep[]): ReadonlyMap<number, TimelineStep> {
  return new Map(steps.map((step) => [step.since.position, step]))
}
