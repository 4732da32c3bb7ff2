import type { Catalog } from '../../../../domain/segments/catalog.js'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  SegmentBuilt,
} from '../../../../domain/segments/segment-facts.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Database } from '../../file/driver.js'
import { builtData, type Baselines } from './baselines.js'
import { ChangeRecorder } from './change-recorder.js'
import { Outbox } from './outbox.js'
import type { EntityRow } from './entity-states.js'
import type { PlacedChange } from './entity-refold.js'
import type { Generation, Generations } from './generations.js'
import { PublicationRows } from './publication-rows.js'
import { figuresIn, newPublication, confirmAhead, type Publication } from './publication.js'
import { changeOf, isSameChange, textOf, type PublishedChange } from './published-change.js'

/** Called for a segment whose changes in the log differ from those derived here. */
export type OnDiverged = (diverged: {
  readonly segment: string
  readonly version: number
  readonly reason: string
}) => void

export interface PublicationParts {
  readonly db: Database
  readonly catalog: Catalog
  readonly generations: Generations
  readonly baselines: Baselines
  readonly onDiverged: OnDiverged
}

/** Rows that are looked at together. */
const rowsAtOnce = 500

/**
 * Compares the membership changes that the log holds with those that were derived here, and removes
 * them from the outbox.
 */
export class Publications {
  readonly rows: Outbox
  private readonly publications: PublicationRows
  private readonly recorder: ChangeRecorder

  constructor(private readonly parts: PublicationParts) {
    this.rows = new Outbox(parts.db)
    this.publications = new PublicationRows(parts.db)
    this.recorder = new ChangeRecorder(this.rows, this.publications)
  }

  /** How many segments the log says something else of. */
  get diverged(): number {
    return this.publications.all.filter(({ divergence }) => divergence !== undefined).length
  }

  isDiverged(key: string): boolean {
    return this.publications.get(key)?.divergence !== undefined
  }

  /** To be called when others are defined or served than before. */
  refresh(): void {
    this.recorder.refresh(this.parts.catalog, this.parts.generations)
  }

  /**
   * A version is served from here on. `before`: what was served until now; what is not published of it
   * now, as by a process that has diverged from it, never is.
   */
  built(served: DefinedSegment, before: DefinedSegment | undefined, fact: SegmentBuilt): void {
    if (before === served) {
      this.diverge(served, 'its version was published as built twice')
      return
    }
    const isBuiltHere = this.generationOf(served) !== undefined
    const publication = newPublication(served.key, figuresIn(fact.data), isBuiltHere)
    this.publications.begin(publication)
    const generation = this.parts.generations.get(served.active.id)
    if (generation !== undefined) this.rows.removeUntil(generation.id, served.through)
    this.refresh()
    if (isBuiltHere) this.compareFigures(served, publication)
  }

  private compareFigures(served: DefinedSegment, { built }: Publication): void {
    const { baselines } = this.parts
    const own = baselines.of(served)
    baselines.removeUntil(served)
    if (own === undefined || figuresIn(builtData(served, own)) === built) return
    this.diverge(served, 'it was built with other members')
  }

  /** Nothing more is published of a segment that is retired. */
  retired(key: string): void {
    this.publications.remove(key)
  }

  /** A membership change was published. */
  take(fact: EntityEnteredSegment | EntityLeftSegment): void {
    const served = this.parts.catalog.servedAs(fact.data.segment)
    const publication = served && this.publications.get(served.key)
    // The segment was retired meanwhile, or differs already.
    if (served === undefined || publication === undefined || publication.divergence !== undefined)
      return
    if (fact.data.version !== served.version) {
      this.diverge(served, 'a change of another version was published')
    } else if (publication.isCompared) {
      this.takeNext(served, changeOf(fact))
    } else {
      this.publications.change(publication)
      if (!confirmAhead(publication, changeOf(fact)))
        this.diverge(served, 'its changes were not published in order')
    }
  }

  private takeNext(served: DefinedSegment, change: PublishedChange): void {
    const generation = this.generationOf(served)
    const next = generation && this.rows.first(generation.id)
    if (generation !== undefined && next !== undefined && isSameChange(next, change)) {
      this.rows.remove(generation.id, next)
    } else {
      this.diverge(served, 'others entered or left than was published')
    }
  }

  /** A build has come to its end: what was published of it before is compared now. */
  compare(): void {
    for (const served of this.parts.catalog.served) {
      const publication = this.publications.get(served.key)
      const generation = this.generationOf(served)
      if (publication === undefined || publication.isCompared || generation === undefined) continue
      publication.isCompared = true
      this.publications.change(publication)
      if (publication.divergence !== undefined) continue
      this.rows.removeUntil(generation.id, served.through)
      this.removePublished(generation, publication)
      if (!publication.confirmed.equals(publication.derived)) {
        this.diverge(served, 'others entered or left than was published')
      }
      this.compareFigures(served, publication)
    }
  }

  /** Removes what was published, up to the last of it. */
  private removePublished(
    { id }: Generation,
    { lastAt, lastChange, confirmed, derived }: Publication,
  ): void {
    const until = { logTime: lastAt, position: Number.MAX_SAFE_INTEGER }
    while (derived.changes < confirmed.changes) {
      const page = this.rows.upTo(id, until, rowsAtOnce)
      for (const change of page) {
        const text = textOf(change)
        derived.add(text)
        this.rows.remove(id, change)
        if (text === lastChange) return
      }
      if (page.length === 0) return
    }
  }

  private diverge({ key, version }: DefinedSegment, reason: string): void {
    const publication = this.publications.get(key)
    if (publication === undefined || publication.divergence !== undefined) return
    publication.divergence = reason
    this.publications.change(publication)
    this.refresh()
    this.parts.onDiverged({ segment: key, version, reason })
  }

  /** Undefined: it is not evaluated here. */
  generationOf({ active }: DefinedSegment): Generation | undefined {
    return this.parts.generations.built(active.id)
  }

  /** Whether a membership change is to be published, or was. */
  isRecorded(placed: PlacedChange): boolean {
    return this.recorder.isRecorded(placed)
  }

  record(generation: Generation, row: EntityRow, placed: PlacedChange): void {
    this.recorder.record(generation, row, placed)
  }

  /** Too much waits in memory. */
  get isFull(): boolean {
    return this.rows.isFull
  }

  write(): void {
    this.rows.write()
    this.publications.write()
  }
}
