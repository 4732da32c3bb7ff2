import { byActiveId, dependenciesFirst } from '../../../../../domain/segments/segment-graph.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { prepareAll, type Statements } from '../../../file/driver.js'
import { numberIn, numbersIn } from '../../../file/row.js'
import type { Slice } from '../../slice.js'
import { Backfill, backfillSteps, type BackfillParts, type BackfillProgress } from './backfill.js'

const rowsAtOnce = 500

/**
 * Backfills segments that are defined but not evaluated yet: one backfill at a time, in short slices of work.
 * - Input: segment definitions (`replan` runs after each definition) and the packed logs of entities.
 * - Stored: the progress of the backfill in table `build`, members and entity states through `evaluation/`, and
 *   the members at each definition in table `baselines`.
 * - Output: a `Generation` (a rule version being evaluated) that is marked as built. The code in `publishing/`
 *   then publishes `SegmentBuilt`.
 *
 * `backfill.ts` runs one backfill. `replay-batches.ts` reads the facts of a few entities at a time.
 * `entity-replay.ts` replays the facts of one entity.
 */
export class BackfillQueue {
  private build: Backfill | undefined
  private isPlanned = true
  private hasOrphans = true
  private readonly statements: Statements<typeof sql>

  constructor(private readonly parts: BackfillParts) {
    this.statements = prepareAll(parts.tables.db, sql)
  }

  resume(): void {
    const row = this.statements.find.get()
    const [prefix = 0, builtUpTo = 0] = row === undefined ? [] : numbersIn(row)
    this.parts.live.refresh(builtUpTo)
    if (row !== undefined) this.build = new Backfill(this.parts, { prefix, builtUpTo })
  }

  get isIdle(): boolean {
    return this.build === undefined && !this.isPlanned && !this.hasOrphans
  }

  /**
   * Returns the completed share of the backfill of a segment, from 0 to 1. Returns undefined when no backfill
   * of the segment is running.
   */
  progressOf({ active }: DefinedSegment): number | undefined {
    if (this.parts.generations.get(active.id)?.isBuilt !== false) return undefined
    const last = numberIn(this.statements.last.get()) ?? 0
    return last === 0 ? 0 : (this.build?.progress.builtUpTo ?? 0) / last
  }

  replan(): void {
    const { live } = this.parts
    live.refresh(live.builtUpTo)
    this.isPlanned = true
    this.hasOrphans = true
    if (this.build === undefined) return
    const { progress } = this.build
    // The evaluated segments may have changed, so the backfill replays a partly replayed entity again.
    if (this.parts.generations.building.length > 0) this.build = new Backfill(this.parts, progress)
    else this.end()
  }

  forget(entity: number): void {
    this.build?.forget(entity)
  }

  step(head: number, logTime: number, slice: Slice): void {
    if (this.build !== undefined) this.advance(this.build, head, logTime, slice)
    else if (this.isPlanned) this.plan()
    else this.hasOrphans = this.parts.generations.removeSome(rowsAtOnce)
  }

  private plan(): void {
    const { generations, live } = this.parts
    const prefix = this.nextPrefix()
    this.isPlanned = prefix !== undefined
    if (prefix === undefined) return
    const wanted = this.wantedAt(prefix)
    for (const { active } of wanted) generations.begin(active.id, false)
    for (const { counted } of backfillSteps(this.parts, prefix)) {
      for (const segment of counted) this.parts.baselines.begin(segment)
    }
    live.refresh(0)
    this.start({ prefix, builtUpTo: 0 })
  }

  private start(progress: BackfillProgress): void {
    this.build = new Backfill(this.parts, progress)
    this.saveProgress(progress)
  }

  /**
   * Returns the position up to which the next backfill applies definitions, or undefined when no segment needs a
   * backfill. This is the last position at which the first segment without a `Generation` is still defined in the
   * wanted version.
   */
  private nextPrefix(): number | undefined {
    const { parts } = this
    const { catalog } = parts
    const isMissing = ({ active, isForeign }: DefinedSegment) =>
      !isForeign && parts.generations.get(active.id) === undefined
    const wanted = [...catalog.served, ...catalog.pending].find(isMissing)
    return wanted && catalog.timeline.lastOf(wanted)
  }

  /**
   * Returns the segments to backfill: the wanted segments that are defined at position `prefix`, and the
   * segments that their rules refer to. Omits segments that already have a `Generation`.
   */
  private wantedAt(prefix: number): readonly DefinedSegment[] {
    const { timeline, served, pending } = this.parts.catalog
    const there = timeline.at(prefix)
    const wanted = new Set([...served, ...pending])
    const wantedThere = there.filter((segment) => wanted.has(segment)).map(({ active }) => active)
    const found = byActiveId(there)
    return dependenciesFirst(wantedThere, (id) => found.get(id)).filter(
      ({ active, isForeign }) => !isForeign && this.parts.generations.get(active.id) === undefined,
    )
  }

  private advance(build: Backfill, head: number, logTime: number, slice: Slice): void {
    const isDone = build.step(head, logTime, slice)
    if (!isDone) {
      this.saveProgress(build.progress)
      return
    }
    const { generations, live, publications } = this.parts
    generations.finish()
    publications.compare()
    this.end()
    live.refresh(0)
  }

  private saveProgress({ prefix, builtUpTo }: BackfillProgress): void {
    this.statements.forget.run()
    this.statements.keep.run(prefix, builtUpTo)
  }

  private end(): void {
    this.build = undefined
    this.statements.forget.run()
    this.isPlanned = true
    this.hasOrphans = true
  }
}

const sql = {
  find: 'SELECT prefix, built_up_to FROM build',
  last: 'SELECT max(entity) FROM entities',
  keep: 'INSERT INTO build VALUES (?, ?)',
  forget: 'DELETE FROM build',
}
