import type { EntityState } from '../../../../../domain/segments/membership/entity-state.js'
import { segmentSets } from '../../../../../domain/segments/membership/replay.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { prepareRows, type Statement } from '../../../file/driver.js'
import { numbersIn } from '../../../file/row.js'
import { awaited } from '../../erased-entities.js'
import type { ErasedBy } from '../../projection.js'
import type { Slice } from '../../slice.js'
import { BaselineCounts } from './baselines.js'
import {
  overwrite,
  type CountedStep,
  type EntityReplay,
  type PlacedChange,
} from './entity-replay.js'
import { ErasedRows } from './erased-rows.js'
import { ReplayBatches, entitiesTogether } from './replay-batches.js'
import { memberDigest, type EntityRow, type EntityStates } from '../evaluation/entity-states.js'
import type { Generation } from '../evaluation/generations.js'
import type { LiveSegments } from '../evaluation/live-segments.js'
import { conditionsOf, type RuleConditions } from '../evaluation/state-numbers.js'
import type { PublicationParts, Publications } from '../publishing/publications.js'

const noSegments: readonly DefinedSegment[] = []

export interface BackfillProgress {
  /**
   * The position up to which this backfill applies definitions. A later backfill applies definitions at higher
   * positions.
   */
  readonly prefix: number
  /** The number of the last entity that was replayed. */
  readonly builtUpTo: number
}

export interface BackfillParts extends PublicationParts {
  readonly publications: Publications
  readonly live: LiveSegments
}

/**
 * Backfills rule versions by replaying one entity after another. The replay also applies older definitions of
 * the segments and of the segments that their rules refer to, because the start of a membership depends on
 * them. After an entity was replayed, `LiveSegments` keeps the memberships of the entity up to date.
 */
export class Backfill {
  private readonly replays: ReplayBatches
  private readonly used: RuleConditions
  private readonly counts: BaselineCounts
  private readonly entities: Statement
  private readonly erasedRows: ErasedRows

  constructor(
    private readonly of: BackfillParts,
    public progress: BackfillProgress,
  ) {
    const { tables, catalog, baselines, live, publications } = of
    const steps = backfillSteps(of, progress.prefix)
    const segments = steps.flatMap((step) => step.segments)
    const setOf = segmentSets([noSegments, ...steps.map((step) => step.segments)], live.segments)
    const isPublished = (placed: PlacedChange) => publications.recorder.isRecorded(placed)
    this.replays = new ReplayBatches(tables, { steps, setOf, isPublished }, segments)
    this.used = conditionsOf(
      catalog.timeline.at(progress.prefix).filter(({ active }) => isBuilding(of, active.id)),
    )
    this.counts = new BaselineCounts(baselines)
    this.entities = prepareRows(tables.db, entities)
    this.erasedRows = new ErasedRows(tables.db, tables.facts, tables.logs)
  }

  /**
   * Replays entities until the slice ends. Returns true after the last entity. `head` is the position of the
   * last applied fact, and `logTime` is the log time at that fact.
   */
  step(head: number, logTime: number, slice: Slice): boolean {
    const { states } = this.of.live
    if (states === undefined) return true
    let isDone: boolean
    do isDone = this.replaySome(states, head, logTime)
    while (!isDone && !slice.endsHere())
    this.counts.write()
    this.of.live.spill()
    return isDone
  }

  forget(entity: number): void {
    this.replays.forget(entity)
  }

  private replaySome(states: EntityStates, head: number, logTime: number): boolean {
    const replayed = this.replays.step(() => this.nextRows(states, head), head)
    for (const replay of replayed ?? []) this.end(states, replay, logTime)
    return replayed === undefined
  }

  private *nextRows(states: EntityStates, head: number): Generator<EntityRow, void> {
    for (const found of this.entities.all(this.progress.builtUpTo, head, entitiesTogether)) {
      const [entity = 0] = numbersIn(found)
      const row = states.get(entity) ?? this.erasedRows.get(entity)
      if (row !== undefined) yield row
    }
  }

  private end(states: EntityStates, replay: EntityReplay, logTime: number): void {
    const { generations, publications, live } = this.of
    const row = states.get(replay.row.entity) ?? replay.row
    const replayed = replay.end(logTime)
    if (row.erasedBy === undefined) this.mergeState(states, row, replayed)
    else this.leaveAll(row, replayed, row.erasedBy)
    for (const segment of replay.counted) this.counts.add(segment, memberDigest(row))
    for (const placed of replay.changes) {
      const generation = generations.get(placed.change.segment)
      if (generation?.isBuilt === false) publications.recorder.record(generation, row, placed)
    }
    this.progress = { ...this.progress, builtUpTo: row.entity }
    live.builtUpTo = row.entity
  }

  /** Stores the replayed state of an entity, and its memberships in the segments that this backfill covers. */
  private mergeState(states: EntityStates, row: EntityRow, replayed: EntityState): void {
    overwrite(row.state, replayed, this.used, (id) => this.of.live.isUsed(id))
    states.change(row)
    for (const [generation, since] of this.membershipsOf(replayed)) {
      this.of.generations.enter(generation, row, since)
    }
  }

  /** Records that an erased entity left every segment of which the entity was a member at its erasure. */
  private leaveAll(row: EntityRow, replayed: EntityState, by: ErasedBy): void {
    const { recorder } = this.of.publications
    for (const [generation] of this.membershipsOf(replayed)) recorder.erase(generation, row, by)
  }

  private *membershipsOf({ members }: EntityState): Generator<readonly [Generation, number]> {
    for (const id of this.used.segments) {
      const generation = this.of.generations.get(id)
      const since = members.get(id)
      if (generation !== undefined && since !== undefined) yield [generation, since]
    }
  }
}

/**
 * SQL that selects the next entities to replay. The result includes erased entities whose facts are kept for a
 * backfill.
 */
const entities = `
  SELECT entity FROM entities WHERE entity > ?1 AND entity <= ?2
  UNION ALL
  SELECT entity FROM erased_entities
  WHERE is_gone = ${String(awaited)} AND entity > ?1 AND entity <= ?2
  ORDER BY entity LIMIT ?3`

function isBuilding({ generations }: Pick<BackfillParts, 'generations'>, active: string): boolean {
  return generations.get(active)?.isBuilt === false
}

/**
 * Returns the definitions to replay. The list includes definitions after `prefix` that only changed a title,
 * because the backfill also counts the baseline members at those definitions.
 */
export function backfillSteps(
  parts: Pick<BackfillParts, 'catalog' | 'generations'>,
  prefix: number,
): readonly CountedStep[] {
  const { timeline } = parts.catalog
  const { steps } = timeline
  const wanted = timeline.at(prefix).filter(({ active }) => isBuilding(parts, active.id))
  const own = new Map(
    steps.map(({ since, defined }) => {
      const counted = defined.filter(({ active }) => isBuilding(parts, active.id))
      return [since.position, counted] as const
    }),
  )
  const related = timeline.related(wanted, prefix).map((step) => ({
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
