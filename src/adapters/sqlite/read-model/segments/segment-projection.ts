import type { SegmentsStatus } from '../../../../application/reading/ports/read-model.js'
import type { EntityFact } from '../../../../domain/facts.js'
import { Catalog } from '../../../../domain/segments/catalog.js'
import {
  clockStream,
  membersStream,
  type EntityEnteredSegment,
  type EntityLeftSegment,
  type SegmentBuilt,
  type SegmentDefined,
  type SegmentRetired,
} from '../../../../domain/segments/segment-facts.js'
import type { DefinitionStep, PlacedDefinition } from '../../../../domain/segments/timeline.js'
import { BufferedInsert } from '../../file/buffered-insert.js'
import { prepareRows, type Database } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import type { AppliedProjection, ErasedNow, PlacedFact } from '../projection.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { wholeWork, type Slice } from '../slice.js'
import { Baselines } from './backfill/baselines.js'
import { BackfillQueue } from './backfill/backfill-queue.js'
import { nameCondition } from './hashes.js'
import { Generations } from './evaluation/generations.js'
import { LiveSegments } from './evaluation/live-segments.js'
import { StreamLengths } from './publishing/stream-lengths.js'
import { ChangeIndex } from './publishing/change-index.js'
import { Publications, type OnDiverged } from './publishing/publications.js'
import { UnpublishedFacts } from './publishing/unpublished-facts.js'

/**
 * The projection of segments and their members.
 * - Input: every fact of the fact log, and log time.
 * - Stored: the tables of `segment-tables.ts`.
 * - Output: answers about segments (`queries/`), and facts to publish (`publishing/`).
 *
 * `evaluation/` keeps members up to date as facts are applied. `backfill/` computes the members of a new
 * definition from stored facts. `publishing/` compares derived changes with the fact log and derives the next
 * facts to publish. While the read model is rebuilt, this projection applies only definitions; a backfill adds
 * the members afterwards.
 */
export class SegmentProjection implements AppliedProjection {
  readonly catalog = new Catalog(nameCondition)
  readonly generations: Generations
  readonly live: LiveSegments
  readonly baselines: Baselines
  readonly unpublished: UnpublishedFacts
  readonly publications: Publications
  readonly backfills: BackfillQueue
  private readonly lengths: StreamLengths
  private readonly published: ChangeIndex
  private readonly others: BufferedInsert

  /** `isEvaluating` is false while the read model is rebuilt. */
  constructor(
    private readonly tables: ReadModelTables,
    private readonly isEvaluating: boolean,
    onDiverged: OnDiverged,
  ) {
    const { db } = tables
    this.generations = new Generations(db, tables.lent)
    this.baselines = new Baselines(db)
    this.lengths = new StreamLengths(db)
    this.published = new ChangeIndex(db)
    this.others = new BufferedInsert(db, 'other_facts')
    this.recall(db)
    const { catalog, generations, baselines, lengths } = this
    const parts = { tables, catalog, generations, baselines }
    const publications = new Publications(parts, onDiverged)
    this.publications = publications
    this.unpublished = new UnpublishedFacts(parts, publications, lengths)
    const live = new LiveSegments(tables, catalog, generations, publications)
    this.live = live
    this.backfills = new BackfillQueue({ ...parts, publications, live })
    if (isEvaluating) this.backfills.resume()
  }

  private recall(db: Database): void {
    const rows = prepareRows(
      db,
      'SELECT position, log_time, fact FROM other_facts WHERE fact IS NOT NULL ORDER BY position',
    )
    for (const row of rows.all()) {
      const [position, logTime, text] = valuesIn(row)
      const fact = JSON.parse(String(text)) as SegmentDefined | SegmentRetired | SegmentBuilt
      if (fact.type === 'SegmentBuilt') this.catalog.built(fact)
      else this.catalog.define({ fact, position: Number(position), logTime: Number(logTime) })
    }
  }

  /** Returns whether the backfill of every version that queries use is complete here. */
  get isEvaluated(): boolean {
    const { served } = this.catalog
    return served.every(
      (segment) => segment.isForeign || this.publications.generationOf(segment) !== undefined,
    )
  }

  /**
   * Returns whether a backfill still needs the facts of entities that are erased now, to derive the published
   * changes. While the read model is rebuilt, every defined segment needs a backfill.
   */
  get isBehind(): boolean {
    if (this.isEvaluating) return !this.isEvaluated
    const { served, pending } = this.catalog
    return [...served, ...pending].some(({ isForeign }) => !isForeign)
  }

  get status(): SegmentsStatus {
    const { hasUnpublished, changes, since } = this.unpublished.figures
    const { diverged } = this.publications
    const nextDue = this.live.nextDue === Infinity ? undefined : this.live.nextDue
    const unpublishedSince = since === undefined ? {} : { unpublishedSince: since }
    const figures = { unpublishedChanges: changes, ...unpublishedSince, diverged }
    return { nextDue, hasUnpublished, figures }
  }

  prepare(facts: readonly PlacedFact[], slice: Slice): readonly PlacedFact[] {
    return this.live.lateSearches.prepare(facts, slice)
  }

  apply(facts: readonly PlacedFact[]): void {
    for (const placed of facts) {
      if (this.isEvaluating) this.live.passTime(placed.logTime, wholeWork)
      this.take(placed)
    }
  }

  /**
   * Fires the timers that are due at or before log time `until`. Returns false when the slice ended before all
   * timers fired. Call it before applying a fact whose log time is `until`.
   */
  passTime(until: number, slice: Slice): boolean {
    const isDone = this.live.passTime(until, slice)
    this.live.spill()
    return isDone
  }

  write(): void {
    this.others.write()
    this.lengths.write()
    this.published.write()
    this.live.spill()
  }

  /**
   * Records that the erasure of an entity is known. From now on, published changes of this entity are not
   * compared.
   */
  foresee(entityId: string): void {
    this.tables.erased.add(entityId)
  }

  /**
   * Removes an erased entity from all segments. If `by` is undefined, the changes of the entity are not
   * published.
   */
  forget({ entity, by }: ErasedNow): void {
    if (by === undefined) this.publications.outbox.removeOf(entity)
    if (!this.isEvaluating) return
    if (by !== undefined) this.live.passTime(by.logTime, wholeWork)
    this.live.forget(entity, by)
    this.backfills.forget(entity)
  }

  /** Writes the buffered members and states. Call it before a commit. */
  flush(): void {
    this.live.write()
  }

  private take(placed: PlacedFact): void {
    const { fact, entity, logged, logTime } = placed
    const { position } = logged
    switch (fact.type) {
      case 'SegmentDefined':
      case 'SegmentRetired':
        this.others.add(position, logTime, JSON.stringify(fact))
        this.define({ fact, position, logTime })
        return
      case 'SegmentBuilt':
        this.others.add(position, logTime, JSON.stringify(fact))
        this.built(fact)
        return
      case 'EntityErasureRecorded':
        this.others.add(position, logTime, null)
        this.foresee(fact.data.entityId)
        return
      case 'TimePassed':
        this.others.add(position, logTime, null)
        this.lengths.add(clockStream)
        return
      case 'EntityEnteredSegment':
      case 'EntityLeftSegment':
        this.others.add(position, logTime, null)
        this.changed(fact, position)
        return
      default:
        if (entity === undefined) this.others.add(position, logTime, null)
        else if (this.isEvaluating) this.evaluate(entity, placed)
    }
  }

  private changed(fact: EntityEnteredSegment | EntityLeftSegment, position: number): void {
    const { segment, version, entityId, cause } = fact.data
    if (cause.kind === 'erased') this.tables.erased.left(entityId)
    this.lengths.add(membersStream(segment))
    this.publications.take(fact, position)
    const isServed = this.catalog.servedAs(segment)?.version === version
    if (isServed) this.published.take(fact, position)
  }

  private evaluate(fact: EntityFact, { logged, logTime }: PlacedFact): void {
    if (this.live.states === undefined) return
    const entity = this.tables.ids.of(fact.externalId, logged)
    if (entity !== undefined) this.live.apply(entity, fact, logTime, logged.position)
  }

  private define(definition: PlacedDefinition): void {
    const step = this.catalog.define(definition)
    const { type, data } = definition.fact
    if (type === 'SegmentRetired') this.publications.retired(data.segment)
    if (!this.isEvaluating) return
    this.live.write()
    this.beginByHand(step)
    this.keepBaselines(step)
    this.backfills.replan()
  }

  /**
   * Marks a new segment with explicitly added members as evaluated. The segment is empty, so it needs no
   * backfill.
   */
  private beginByHand({ changes }: DefinitionStep): void {
    for (const { to, key } of changes) {
      const isByHand = this.catalog.defined(key)?.kind === 'hand'
      if (to !== undefined && isByHand) this.generations.begin(to.id, true)
    }
  }

  /**
   * Stores the current members of redefined segments as baselines. A running backfill adds the entities that it
   * has not replayed yet.
   */
  private keepBaselines({ defined }: DefinitionStep): void {
    for (const segment of defined) {
      const generation = this.generations.get(segment.active.id)
      if (generation !== undefined) this.baselines.add(segment, generation)
    }
  }

  private built(fact: SegmentBuilt): void {
    this.lengths.add(membersStream(fact.data.segment))
    const before = this.catalog.servedAs(fact.data.segment)
    const served = this.catalog.built(fact)
    if (served === undefined) return
    this.published.built(fact)
    this.publications.built(served, before, fact)
    if (this.isEvaluating) this.backfills.replan()
  }
}
