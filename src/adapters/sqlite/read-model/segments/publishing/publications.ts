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

/** Called for a segment whose published changes differ from the changes that this process derives. */
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
 * Compares published membership changes with the changes that this process derives. Several processes derive
 * the same changes, and each change is published once.
 * - Input: derived changes (`change-recorder.ts`), published changes (`take`), and published `SegmentBuilt`
 *   facts (`built`).
 * - Stored: derived changes that are not published (`outbox.ts`), published changes that are not derived
 *   (`underived-changes.ts`), the result of the comparison for each segment (`publication-state.ts`), and an
 *   index of published changes (`change-index.ts`).
 * - Output: the next facts to publish (`unpublished-facts.ts`). A lasting difference marks the segment as
 *   diverged.
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
   * Returns the number of the entity's unpublished changes, including changes of versions that queries do not
   * use yet. Omits changes of diverged segments. Also omits changes that took effect after a definition that
   * only a newer version of Dossier can evaluate, because that newer version publishes them.
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
   * Handles a `SegmentBuilt` fact: queries use the version `served` from now on. `before` is the version that
   * queries used until now. The unpublished changes of `before` are never published.
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
    // Skips the comparison if an entity that was a member at the definition may have been erased later. Some
    // processes count such a member, and others do not.
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
    // Ignores changes of a segment that was retired or has already diverged.
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

  /**
   * Returns whether the entity of a change is erased. The changes of erased entities are not compared, because
   * some processes do not derive them.
   */
  private isErased({ entityId }: PublishedChange): boolean {
    return this.parts.tables.erased.has(entityId)
  }

  /**
   * Handles a published change of a version that is backfilled here. The change must equal the first change in
   * the outbox.
   */
  private takeNext(served: DefinedSegment, { id }: Generation, change: PublishedChange): void {
    const isErased = this.isErased(change)
    const next = isErased ? this.outbox.find(id, change) : this.nextOf(id)
    if (next !== undefined && isSameChange(next, change)) this.outbox.remove(id, next)
    else if (!isErased) this.diverge(served, 'others entered or left than was published')
  }

  /**
   * Handles a published change of a version whose backfill is not complete here. This process may have derived
   * the change already, or may derive it later.
   */
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
   * Compares published and derived changes. Call it when a backfill is complete. A segment has diverged in two
   * cases: a published change was not derived, or a derived change is earlier than the last published change
   * and was not published.
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

  /** Returns the first unpublished change of an entity that is not erased. */
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

  /**
   * Returns the evaluated rule version of a segment, or undefined when the backfill of this version is not
   * complete here.
   */
  generationOf({ active }: DefinedSegment): Generation | undefined {
    return this.parts.generations.built(active.id)
  }

  write(): void {
    this.outbox.write()
    this.underived.write()
    this.publications.write()
  }
}
