import type { Catalog } from '../../../../../domain/segments/catalog.js'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  SegmentBuilt,
} from '../../../../../domain/segments/segment-facts.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { builtData, type Baselines } from '../backfill/baselines.js'
import { ChangeRecorder } from './change-recorder.js'
import { Outbox, type OutboxRow } from './outbox.js'
import type { Generation, Generations } from '../evaluation/generations.js'
import {
  PublicationStates,
  figuresIn,
  newPublicationState,
  countPublished,
  type PublicationState,
} from './publication-state.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import { ErasedChanges } from './erased-changes.js'
import {
  PublishedAt,
  changeOf,
  isSameChange,
  textOf,
  type ChangeBound,
  type PublishedChange,
} from './published-change.js'

/** Called for a segment whose published changes differ from the changes derived here. */
export type OnDiverged = (diverged: {
  readonly segment: string
  readonly version: number
  readonly reason: string
}) => void

export interface PublicationParts {
  readonly tables: ReadModelTables
  readonly catalog: Catalog
  readonly generations: Generations
  readonly baselines: Baselines
}

const rowsAtOnce = 200

/**
 * Compares the membership changes in the log with the changes derived here, and removes published changes from the
 * outbox. Several processes derive the same changes, and each change is published once.
 *
 * In: derived changes (`change-recorder.ts`), and published facts: `take` for changes, `built` for `SegmentBuilt`.
 * Stored: derived changes that wait (`outbox.ts`), one state per served segment (`publication-state.ts`), and an
 * index of published changes (`change-index.ts`).
 * Out: the next facts to publish (`unpublished-facts.ts`). A difference marks the segment as diverged.
 */
export class Publications {
  readonly rows: Outbox
  private readonly publications: PublicationStates
  readonly recorder: ChangeRecorder
  private readonly publishedAt: PublishedAt

  constructor(
    private readonly parts: PublicationParts,
    private readonly onDiverged: OnDiverged,
  ) {
    const { db, facts, erased } = parts.tables
    this.rows = new Outbox(db)
    this.publications = new PublicationStates(db)
    this.publishedAt = new PublishedAt(db, facts)
    const published = new ErasedChanges(this.publishedAt, erased)
    this.recorder = new ChangeRecorder(this.rows, this.publications, erased, published)
  }

  get diverged(): number {
    return this.publications.all.filter(({ divergence }) => divergence !== undefined).length
  }

  /**
   * Counts the entity's unpublished changes, of pending versions too. Changes of diverged segments do not count.
   * Changes after a definition that only a later program understands do not count: that program publishes them.
   */
  waitingOf(entity: number): number {
    const untils = new Map<number, ChangeBound>()
    for (const defined of this.parts.catalog.segments) {
      const served = defined.isForeign ? this.parts.catalog.servedAs(defined.key) : undefined
      if (served === undefined || served === defined) continue
      const generation = this.generationOf(served)
      if (generation !== undefined) untils.set(generation.id, defined.through)
    }
    return this.rows.countOf(entity, untils)
  }

  isDiverged(key: string): boolean {
    return this.publications.get(key)?.divergence !== undefined
  }

  refresh(): void {
    this.recorder.refresh(this.parts.catalog, this.parts.generations)
  }

  /**
   * Starts serving a version. `before` is the version served until now; its unpublished changes are never
   * published.
   */
  built(served: DefinedSegment, before: DefinedSegment | undefined, fact: SegmentBuilt): void {
    if (before === served) {
      this.diverge(served, 'its version was published as built twice')
      return
    }
    const isBuiltHere = this.generationOf(served) !== undefined
    const publication = newPublicationState(served.key, figuresIn(fact.data), isBuiltHere)
    this.publications.begin(publication)
    const generation = this.parts.generations.get(served.active.id)
    if (generation !== undefined) this.rows.removeUntil(generation.id, served.through)
    this.refresh()
    if (isBuiltHere) this.compareFigures(served, publication)
  }

  private compareFigures(served: DefinedSegment, { built }: PublicationState): void {
    const { baselines } = this.parts
    const own = baselines.of(served)
    baselines.removeUntil(served)
    // Some processes count a member that was erased meanwhile, and others do not.
    if (this.parts.tables.erased.wasAnybodyAt(served.through.position)) return
    if (own === undefined || figuresIn(builtData(served, own)) === built) return
    this.diverge(served, 'it was built with other members')
  }

  retired(key: string): void {
    this.publications.remove(key)
  }

  take(fact: EntityEnteredSegment | EntityLeftSegment): void {
    const served = this.parts.catalog.servedAs(fact.data.segment)
    const publication = served && this.publications.get(served.key)
    // The segment was retired, or has diverged already.
    if (served === undefined || publication === undefined || publication.divergence !== undefined)
      return
    if (fact.data.version !== served.version) {
      this.diverge(served, 'a change of another version was published')
    } else if (publication.isCompared) {
      this.takeNext(served, changeOf(fact))
    } else if (this.parts.tables.erased.has(fact.data.entityId)) {
      this.removeDerived(served, changeOf(fact))
    } else {
      this.publications.change(publication)
      if (!countPublished(publication, changeOf(fact)))
        this.diverge(served, 'its changes were not published in order')
    }
  }

  private takeNext(served: DefinedSegment, change: PublishedChange): void {
    const generation = this.generationOf(served)
    const next = generation && this.rows.first(generation.id)
    if (generation !== undefined && next !== undefined && isSameChange(next, change)) {
      this.rows.remove(generation.id, next)
    } else if (this.parts.tables.erased.has(change.entityId)) {
      this.removeDerived(served, change)
    } else if (!this.takeAfterErased(served, change)) {
      this.diverge(served, 'others entered or left than was published')
    }
  }

  /** Removes a published change of an erased entity from the outbox, if the change was derived here. */
  private removeDerived(served: DefinedSegment, change: PublishedChange): void {
    const generation = this.parts.generations.get(served.active.id)
    const row = generation && this.rows.find(generation.id, change)
    if (generation !== undefined && row !== undefined) this.rows.remove(generation.id, row)
  }

  /**
   * Accepts a change that is next after skipping changes of erased entities. The process that published the change
   * may not have derived the skipped ones. Returns false when another change is next.
   */
  private takeAfterErased(served: DefinedSegment, change: PublishedChange): boolean {
    const generation = this.generationOf(served)
    if (generation === undefined || this.parts.tables.erased.isEmpty) return false
    const [next] = this.othersUpTo(generation.id, undefined)
    if (next === undefined || !isSameChange(next, change)) return false
    this.rows.remove(generation.id, next)
    return true
  }

  /** Call when an erasure is known: tallied changes may belong to the erased entity. */
  foresee(): void {
    for (const publication of this.publications.all) {
      if (publication.isCompared || publication.confirmed.changes === 0) continue
      publication.hasErased = true
      this.publications.change(publication)
    }
  }

  /** Call after a backfill: compares the changes that were published before it finished. */
  compare(): void {
    for (const served of this.parts.catalog.served) {
      const publication = this.publications.get(served.key)
      const generation = this.generationOf(served)
      if (publication === undefined || publication.isCompared || generation === undefined) continue
      publication.isCompared = true
      this.publications.change(publication)
      if (publication.divergence !== undefined) continue
      this.rows.removeUntil(generation.id, served.through)
      if (publication.hasErased) this.removePublishedOneByOne(generation, publication)
      else this.removePublished(generation, publication)
      if (!publication.hasErased && !publication.confirmed.equals(publication.derived)) {
        this.diverge(served, 'others entered or left than was published')
      }
      this.compareFigures(served, publication)
    }
  }

  private removePublished(
    { id }: Generation,
    { lastAt, lastChange, confirmed, derived }: PublicationState,
  ): void {
    const until = { logTime: lastAt, position: Number.MAX_SAFE_INTEGER }
    while (derived.changes < confirmed.changes) {
      const page = this.othersUpTo(id, until)
      for (const change of page) {
        const text = textOf(change)
        derived.add(text)
        this.rows.remove(id, change)
        if (text === lastChange) return
      }
      if (page.length === 0) return
    }
  }

  /** The first changes without those of erased entities, which `take` removes when they are published. */
  private othersUpTo(id: number, until: ChangeBound | undefined): readonly OutboxRow[] {
    const { erased } = this.parts.tables
    for (let most = rowsAtOnce; ; most *= 2) {
      const page = this.rows.upTo(id, until, most)
      const others = erased.isEmpty ? page : page.filter(({ entityId }) => !erased.has(entityId))
      if (others.length > 0 || page.length < most) return others
    }
  }

  /** Removes published changes by looking each one up. Used when the tallies may count an erased entity. */
  private removePublishedOneByOne({ id }: Generation, { key, lastAt }: PublicationState): void {
    this.rows.removeUntil(id, { logTime: lastAt - 1, position: Number.MAX_SAFE_INTEGER })
    for (const change of this.publishedAt.of(key, lastAt)) {
      const row = this.rows.find(id, change)
      if (row !== undefined) this.rows.remove(id, row)
    }
  }

  private diverge({ key, version }: DefinedSegment, reason: string): void {
    const publication = this.publications.get(key)
    if (publication === undefined || publication.divergence !== undefined) return
    publication.divergence = reason
    this.publications.change(publication)
    this.refresh()
    this.onDiverged({ segment: key, version, reason })
  }

  /** Undefined when the backfill of the segment has not finished here. */
  generationOf({ active }: DefinedSegment): Generation | undefined {
    return this.parts.generations.built(active.id)
  }

  write(): void {
    this.rows.write()
    this.publications.write()
  }
}
