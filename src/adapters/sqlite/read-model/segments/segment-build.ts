import { readEntityFact } from '../../../../application/facts/fact-format.js'
import { relatedSteps } from '../../../../domain/segments/segment-graph.js'
import { segmentSets } from '../../../../domain/segments/membership/replay.js'
import type { DefinedSegment, Timeline } from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numbersIn } from '../../file/row.js'
import type { Entry } from '../entity-log/block.js'
import type { EntityLogs } from '../entity-log/entity-logs.js'
import { missing, type FactsByPosition } from '../facts-by-position.js'
import type { Slice } from '../queries/slice.js'
import { BaselineCounts, type Baselines } from './baselines.js'
import { EntityRefold, overwrite, type BuildStep, type RefoldParts } from './entity-refold.js'
import { memberDigest, type EntityStates } from './entity-states.js'
import { FactKinds } from '../fact-kinds.js'
import type { Generations } from './generations.js'
import type { LiveSegments } from './live-segments.js'
import { conditionsOf, type RuleConditions } from './state-numbers.js'
import type { Publications } from './publications.js'

/** Facts of the entities that are refolded together, which are read together. */
const factsTogether = 64
/** Facts that are in memory at a time: with bodies of 256 KiB, 16 MiB. */
const factsRead = factsTogether
/** Facts of one entity that are applied before other work runs. */
const factsAtOnce = 128
/** Entries of an entity's log that are looked at for them. */
const entriesAtOnce = 4_096

const noSegments: readonly DefinedSegment[] = []

export interface BuildPlace {
  /** Definitions up to this position hold; later ones are another build's. */
  readonly prefix: number
  /** The last entity that was refolded. */
  readonly builtUpTo: number
}

export interface BuildParts {
  readonly db: Database
  readonly facts: FactsByPosition
  readonly logs: EntityLogs
  readonly timeline: Timeline
  readonly generations: Generations
  readonly baselines: Baselines
  readonly publications: Publications
  readonly live: LiveSegments
}

/** The next facts of an entity that bear on what is built. */
interface NextFacts {
  readonly entries: readonly Entry[]
  /** The last entry that was looked at. */
  readonly reached: number
  /** There are no more. */
  readonly isWhole: boolean
}

type FactsRead = ReturnType<FactsByPosition['stored']>

interface Refolding {
  readonly refold: EntityRefold
  readonly next: NextFacts
}

/**
 * Builds generations: each entity in its order is refolded of its own facts, with all definitions that
 * what is built and what that depends on had one after another, since who is a member since when depends
 * on the ones before. From then on facts and time change it as they come.
 */
export class SegmentBuild {
  private readonly parts: RefoldParts
  private readonly looked: RuleConditions
  private readonly kinds: FactKinds
  private readonly counts: BaselineCounts
  private readonly entities: Statement
  /** An entity with more facts than one step takes. */
  private large: EntityRefold | undefined

  constructor(
    private readonly of: BuildParts,
    public place: BuildPlace,
  ) {
    const { db, timeline, baselines, live, publications } = of
    const steps = stepsOf(of, place.prefix)
    const segments = steps.flatMap((step) => step.segments)
    const setOf = segmentSets([noSegments, ...steps.map((step) => step.segments)], live.segments)
    this.parts = { steps, setOf, isPublished: (placed) => publications.isRecorded(placed) }
    this.looked = conditionsOf(
      timeline.at(place.prefix).filter(({ active }) => isBuilding(of, active.id)),
    )
    this.kinds = new FactKinds(segments)
    this.counts = new BaselineCounts(baselines)
    this.entities = prepareRows(
      db,
      'SELECT entity FROM entities WHERE entity > ? AND entity <= ? ORDER BY entity LIMIT ?',
    )
  }

  /**
   * Refolds some more entities, until the slice is over; true when all are. `head`: the position of the
   * last fact that is applied; `logTime`: log time there.
   */
  step(head: number, logTime: number, slice: Slice): boolean {
    const { states } = this.of.live
    if (states === undefined) return true
    let isThere: boolean
    do isThere = this.refoldSome(states, head, logTime)
    while (!isThere && !slice.endsHere())
    this.counts.write()
    this.of.live.spill()
    return isThere
  }

  private refoldSome(states: EntityStates, head: number, logTime: number): boolean {
    if (this.large !== undefined) {
      this.refoldLarge(states, this.large, logTime)
      return false
    }
    const group = this.nextGroup(states, head)
    // One alone may have more, and they are read as they are applied.
    const together =
      group.length > 1 ? this.read(group.flatMap(({ next }) => next.entries)) : undefined
    for (const { refold, next } of group) {
      this.apply(refold, next, together)
      if (next.isWhole) this.end(states, refold, logTime)
      else this.large = refold
    }
    return group.length === 0
  }

  private refoldLarge(states: EntityStates, refold: EntityRefold, logTime: number): void {
    const next = this.nextFacts(refold.row.entity, refold.reached)
    this.apply(refold, next)
    if (!next.isWhole) return
    this.large = undefined
    this.end(states, refold, logTime)
  }

  /** The next entities: one, or more that have few facts. */
  private nextGroup(states: EntityStates, head: number): readonly Refolding[] {
    const group: Refolding[] = []
    let facts = 0
    for (const found of this.entities.all(this.place.builtUpTo, head, factsTogether)) {
      const [entity = 0] = numbersIn(found)
      const row = states.get(entity)
      if (row === undefined) continue
      const next = this.nextFacts(entity, 0)
      facts += next.entries.length
      if (group.length > 0 && (facts > factsTogether || !next.isWhole)) break
      group.push({ refold: new EntityRefold(row, this.parts), next })
    }
    return group
  }

  private nextFacts(entity: number, after: number): NextFacts {
    const entries: Entry[] = []
    let reached = after
    let looked = 0
    for (const entry of this.of.logs.after(entity, after)) {
      if (looked === entriesAtOnce || entries.length === factsAtOnce) {
        return { entries, reached, isWhole: false }
      }
      looked += 1
      reached = entry.position
      if (this.kinds.has(entry.kind)) entries.push(entry)
    }
    return { entries, reached, isWhole: true }
  }

  private apply(refold: EntityRefold, { entries, reached }: NextFacts, together?: FactsRead): void {
    for (let at = 0; at < entries.length; at += factsRead) {
      const some = entries.slice(at, at + factsRead)
      const facts = together ?? this.read(some)
      for (const { position, logTime } of some) {
        refold.apply(readEntityFact(facts.get(position) ?? missing(position)), position, logTime)
      }
    }
    refold.reached = reached
  }

  private read(entries: readonly Entry[]): FactsRead {
    const positions = entries.map(({ position }) => position)
    return this.of.facts.stored(positions.sort((left, right) => left - right))
  }

  /** What it came to takes the place of what there was of the generations that are built. */
  private end(states: EntityStates, refold: EntityRefold, logTime: number): void {
    const { generations, publications, live } = this.of
    const row = states.get(refold.row.entity) ?? refold.row
    const refolded = refold.end(logTime)
    overwrite(row.state, refolded, this.looked, (id) => live.isLookedAt(id))
    states.change(row)
    for (const id of this.looked.segments) {
      const generation = generations.get(id)
      const since = refolded.members.get(id)
      if (generation !== undefined && since !== undefined) generations.enter(generation, row, since)
    }
    for (const segment of refold.counted) this.counts.add(segment, memberDigest(row))
    for (const placed of refold.changes) {
      const generation = generations.get(placed.change.segment)
      if (generation?.isBuilt === false) publications.record(generation, row, placed)
    }
    this.place = { ...this.place, builtUpTo: row.entity }
    live.builtUpTo = row.entity
  }
}

function isBuilding({ generations }: Pick<BuildParts, 'generations'>, active: string): boolean {
  return generations.get(active)?.isBuilt === false
}

/**
 * The definitions up to the prefix, and of those after it what changed nothing but a title: its baseline
 * is counted too.
 */
export function stepsOf(
  parts: Pick<BuildParts, 'timeline' | 'generations'>,
  prefix: number,
): readonly BuildStep[] {
  const { steps } = parts.timeline
  const wanted = parts.timeline.at(prefix).filter(({ active }) => isBuilding(parts, active.id))
  const before = steps.filter(({ since }) => since.position <= prefix)
  const countedAt = (step: {
    readonly since: unknown
    readonly segments: readonly DefinedSegment[]
  }) =>
    step.segments.filter(
      ({ through, active }) => through === step.since && isBuilding(parts, active.id),
    )
  const own = new Map(steps.map((step) => [step.since.position, countedAt(step)] as const))
  const related = relatedSteps(before, wanted).map((step) => ({
    ...step,
    counted: own.get(step.since.position) ?? [],
  }))
  const last = related.at(-1)?.segments ?? []
  const later = steps.flatMap(({ since }) => {
    const counted = own.get(since.position) ?? []
    const isLater = since.position > prefix && counted.length > 0
    return isLater ? [{ since, changes: [], segments: last, counted }] : []
  })
  return [...related, ...later]
}
