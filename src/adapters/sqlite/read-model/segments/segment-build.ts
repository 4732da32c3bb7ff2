import { readFact } from '../../../../application/facts/fact-format.js'
import type { Fact } from '../../../../application/facts/fact-table.js'
import { logTimeAfter } from '../../../../domain/log-time.js'
import type { OnFlip } from '../../../../domain/segments/membership.js'
import { relatedSteps } from '../../../../domain/segments/related-steps.js'
import type { DefinedSegment, Timeline } from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numbersIn } from '../../file/row.js'
import type { EntityIds } from '../entity-ids.js'
import type { KnownFacts } from '../known-facts.js'
import type { Slice } from '../slice.js'
import { BaselineCounts, type Baselines } from './baselines.js'
import { buildBundle } from './bundles.js'
import { BuildSteps, type BuildStep } from './build-steps.js'
import { EntityRows, type EntityRow } from './entity-rows.js'
import type { KeptSegments, Members } from './kept-segments.js'
import { allAlong, conditionsOf } from './known-conditions.js'
import { flipsInto, SegmentEngine } from './segment-engine.js'
import { subjectOf } from './subject-of.js'
import type { Tellings } from './tellings.js'

/** How much of the log one step takes at most. */
const maxFacts = 500
const minFacts = 16
const maxBytes = 1_048_576
const entitiesAtOnce = 500

export interface BuildPlace {
  /** Definitions up to this position hold; later ones are another build's. */
  readonly prefix: number
  /** Everything up to here was read. */
  readonly reached: number
  /** Log time there, in milliseconds since 1970. */
  readonly logTime: number
  /** Entities up to this one know the definition at `scannedFor`. */
  readonly scanned: number
  readonly scannedFor: number
}

export interface BuildParts {
  readonly db: Database
  readonly facts: KnownFacts
  readonly ids: EntityIds
  readonly timeline: Timeline
  readonly kept: KeptSegments
  readonly baselines: Baselines
  readonly tellings: Tellings
}

/**
 * Evaluates segments from the beginning of the log, with all definitions that they and those that they
 * depend on had one after another: who is a member since when depends on the ones before. Entities do not
 * bear on each other: each is brought up to the definitions, and to what was due, when something happens
 * to it, and all of them in the end.
 */
export class SegmentBuild {
  private readonly steps: BuildSteps
  private readonly rows: EntityRows
  private readonly members: Members
  private readonly counts: BaselineCounts
  private readonly entities: Statement
  /** Facts that are read for the next step: what the last one came to, and as many again. */
  private factsAtOnce = maxFacts

  /** What `kept` has in the bundle of the build is what is built. */
  constructor(
    private readonly parts: BuildParts,
    public place: BuildPlace,
  ) {
    const { db, timeline, kept, baselines } = parts
    const { prefix, reached } = place
    const wanted = timeline.at(prefix).filter((segment) => this.isBuilt(segment))
    const before = timeline.steps.filter(({ since }) => since.position <= prefix)
    const steps = relatedSteps(before, wanted)
    this.steps = new BuildSteps(steps)
    this.rows = new EntityRows(
      db,
      buildBundle,
      undefined,
      allAlong(conditionsOf(steps.flatMap((step) => step.segments))),
    )
    this.members = kept.in(buildBundle)
    this.counts = new BaselineCounts(baselines)
    this.entities = prepareRows(
      db,
      'SELECT entity FROM entities WHERE entity > ? AND entity <= ? ORDER BY entity LIMIT ?',
    )
    for (const { since } of timeline.steps) if (since.position <= reached) this.meet(since.position)
  }

  /**
   * Evaluates some more, until the slice is over; true when it has come to `until`, the position of the
   * last known fact.
   */
  step(until: number, slice: Slice): boolean {
    const isThere = !this.read(until, slice) && !this.scan(until, slice) && this.passTime(slice)
    this.rows.write()
    this.members.write()
    this.counts.write()
    this.parts.tellings.write()
    return isThere
  }

  /** False: there is nothing more to read. */
  private read(until: number, slice: Slice): boolean {
    const limits = { facts: this.factsAtOnce, bytes: maxBytes }
    const page = this.parts.facts.page(this.place.reached, until, limits)
    let applied = 0
    for (const logged of page) {
      const fact = readFact(logged)
      if (fact !== undefined) this.apply(fact, logged.position)
      this.place = { ...this.place, reached: logged.position }
      applied += 1
      if (slice.endsHere()) break
    }
    this.factsAtOnce = Math.min(Math.max(2 * applied, minFacts), maxFacts)
    if (page.length === 0) this.place = { ...this.place, reached: until }
    return page.length > 0
  }

  private apply(fact: Fact, position: number): void {
    const logTime = logTimeAfter(this.place.logTime, fact)
    this.place = { ...this.place, logTime }
    const subject = subjectOf(fact)
    const known = subject && this.steps.concerned(subject.fact)
    if (subject !== undefined && known !== undefined) {
      const entity = this.parts.ids.of(subject.externalId)
      const row = entity === undefined ? undefined : this.rows.get(entity)
      if (row === undefined) return
      this.bringUp(row)
      const { set } = this.steps.last
      set.passTime(row.subject, row.state, logTime, this.flips(row, 0))
      set.applyFact(row.subject, row.state, known, logTime, this.flips(row, position))
      this.rows.change(row)
    }
    if (fact.type === 'SegmentDefined' || fact.type === 'SegmentRetired') {
      for (const segment of this.meet(position)) this.counts.begin(segment)
    }
  }

  /** Also a later definition counts that changed nothing but a title. */
  private meet(position: number): readonly DefinedSegment[] {
    const counted = this.parts.timeline
      .at(position)
      .filter((segment) => segment.through.position === position && this.isBuilt(segment))
    this.steps.meet(position, counted)
    return counted
  }

  private isBuilt({ active }: DefinedSegment): boolean {
    return this.parts.kept.get(active.id)?.bundle === buildBundle
  }

  /** The definitions that an entity does not know yet, each at its own time. */
  private bringUp(row: EntityRow): void {
    const [first, ...missed] = this.steps.from(Math.max(row.knows, row.entity))
    let before = first
    for (const step of missed) {
      before?.set.passTime(row.subject, row.state, step.since.logTime, this.flips(row, 0))
      this.changeOver(row, step)
      before = step
    }
  }

  private flips(row: EntityRow, position: number): OnFlip {
    return flipsInto(this.members, row, position, this.parts.tellings.onFlip)
  }

  private changeOver(row: EntityRow, { since, changes, counted, set }: BuildStep): void {
    const { subject, state } = row
    const { logTime: now, factId } = since
    const cause = { kind: 'definition', factId } as const
    set.changeOver(subject, state, changes, { now, cause, onFlip: tellNobody })
    for (const { to } of changes) {
      const kept = to && this.members.get(to.id)
      const entered = kept && state.members.get(kept.active)
      if (kept !== undefined && entered !== undefined) this.members.enter(kept, row, entered)
    }
    for (const segment of counted) {
      if (!state.members.has(segment.active.id)) continue
      this.counts.add(segment, row.entityId)
      row.isCounted = true
    }
    row.hasFlipped = true
    row.knows = since.position
    this.rows.change(row)
  }

  /** Brings some more entities up to the last definition; false: all are. */
  private scan(until: number, slice: Slice): boolean {
    const { position } = this.steps.last.since
    if (this.place.scannedFor !== position) {
      this.place = { ...this.place, scanned: 0, scannedFor: position }
    }
    const page = this.entities.all(this.place.scanned, until, entitiesAtOnce)
    for (const found of page) {
      const [entity = 0] = numbersIn(found)
      const row = this.rows.get(entity)
      if (row !== undefined) this.bringUp(row)
      this.place = { ...this.place, scanned: entity }
      if (slice.endsHere()) break
    }
    return page.length > 0
  }

  /** All know the last definition: what is due is done in order. False: the slice was over before. */
  private passTime(slice: Slice): boolean {
    const { set, segments } = this.steps.last
    const { onFlip } = this.parts.tellings
    const engine = new SegmentEngine(this.rows, this.members, onFlip, set, segments)
    engine.passTime(this.place.logTime, slice)
    return this.rows.nextDue > this.place.logTime
  }
}

const tellNobody: OnFlip = () => undefined
