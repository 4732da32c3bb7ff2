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
import { PublicationStates, figuresIn, type PublicationState } from './publication-state.js'
import type { ReadModelTables } from '../../read-model-tables.js'
import {
  changeOf,
  isSameChange,
  type ChangeBound,
  type PublishedChange,
} from './published-change.js'
import { UnderivedChanges } from './underived-changes.js'

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
 * Compares published membership changes with the changes derived here. Several processes derive the same changes, and
 * each change is published once.
 *
 * In: derived changes (`change-recorder.ts`), and published facts: `take` for changes, `built` for `SegmentBuilt`.
 * Stored: the two differences, derived changes that are not published (`outbox.ts`) and published changes that are
 * not derived (`underived-changes.ts`); one state per served segment (`publication-state.ts`); and an index of
 * published changes (`change-index.ts`).
 * Out: the next facts to publish (`unpublished-facts.ts`). A difference that remains marks the segment as diverged.
 */
export class Publications {
  readonly outbox: Outbox
  private readonly publications: PublicationStates
  readonly recorder: ChangeRecorder
  private readonly underived: UnderivedChanges

  constructor(
    private readonly parts: PublicationParts,
    private readonly onDiverged: OnDiverged,
  ) {
    const { db } = parts.tables
    this.outbox = new Outbox(db)
    this.publications = new PublicationStates(db)
    this.underived = new UnderivedChanges(db)
    this.recorder = new ChangeRecorder(this.outbox, this.publications, this.underived)
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
    return this.outbox.countOf(entity, untils)
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
    const publication = {
      key: served.key,
      built: figuresIn(fact.data),
      lastAt: 0,
      divergence: undefined,
    }
    this.publications.begin(publication)
    this.underived.clear(served.key)
    const generation = this.parts.generations.get(served.active.id)
    if (generation !== undefined) this.outbox.removeUntil(generation.id, served.through)
    this.refresh()
    if (generation?.isBuilt === true) this.compareFigures(served, publication)
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
    this.underived.clear(key)
  }

  take(fact: EntityEnteredSegment | EntityLeftSegment, position: number): void {
    const served = this.parts.catalog.servedAs(fact.data.segment)
    const publication = served && this.publications.get(served.key)
    // The segment was retired, or has diverged already.
    if (served === undefined || publication === undefined || publication.divergence !== undefined)
      return
    const generation = this.generationOf(served)
    if (fact.data.version !== served.version) {
      this.diverge(served, 'a change of another version was published')
    } else if (generation === undefined) {
      this.takeEarly(served, publication, changeOf(fact), position)
    } else {
      this.takeNext(served, generation, changeOf(fact))
    }
  }

  /** Whether the change's entity is erased. Its changes are not compared, because some processes do not derive them. */
  private isErased({ entityId }: PublishedChange): boolean {
    return this.parts.tables.erased.has(entityId)
  }

  /** Takes a change of a backfilled version. The change must be the next one in the outbox. */
  private takeNext(served: DefinedSegment, { id }: Generation, change: PublishedChange): void {
    const isErased = this.isErased(change)
    const next = isErased ? this.outbox.find(id, change) : this.nextOf(id)
    if (next !== undefined && isSameChange(next, change)) this.outbox.remove(id, next)
    else if (!isErased) this.diverge(served, 'others entered or left than was published')
  }

  /** Takes a change of a version that is not backfilled here. The change may be derived already, or later. */
  private takeEarly(
    served: DefinedSegment,
    publication: PublicationState,
    change: PublishedChange,
    position: number,
  ): void {
    if (!this.isErased(change)) {
      if (change.at < publication.lastAt)
        this.diverge(served, 'its changes were not published in order')
      publication.lastAt = change.at
      this.publications.change(publication)
    }
    const generation = this.parts.generations.get(served.active.id)
    const row = generation && this.outbox.find(generation.id, change)
    if (generation !== undefined && row !== undefined) this.outbox.remove(generation.id, row)
    else this.underived.add(served.key, change, position)
  }

  /**
   * Call after a backfill. A served version has diverged if a published change was not derived, or if a derived change
   * from before the last published change was not published.
   */
  compare(): void {
    for (const served of this.parts.catalog.served) {
      const publication = this.publications.get(served.key)
      const generation = this.generationOf(served)
      if (publication === undefined || generation === undefined) continue
      this.outbox.removeUntil(generation.id, served.through)
      const next = this.nextOf(generation.id)
      const isMissing = next !== undefined && next.at < publication.lastAt
      if (isMissing || this.underived.hasAny(served.key))
        this.diverge(served, 'others entered or left than was published')
      this.underived.clear(served.key)
      this.compareFigures(served, publication)
    }
  }

  /** The first waiting change of an entity that is not erased. */
  private nextOf(id: number): OutboxRow | undefined {
    const first = this.outbox.first(id)
    if (first === undefined || !this.isErased(first)) return first
    for (let most = rowsAtOnce; ; most *= 2) {
      const page = this.outbox.upTo(id, undefined, most)
      const next = page.find((row) => !this.isErased(row))
      if (next !== undefined || page.length < most) return next
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
    this.outbox.write()
    this.underived.write()
    this.publications.write()
  }
}
