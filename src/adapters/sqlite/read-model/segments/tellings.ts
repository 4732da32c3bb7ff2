import type { Catalog } from '../../../../domain/segments/catalog.js'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  SegmentBuilt,
} from '../../../../domain/segments/segment-facts.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Database } from '../../file/driver.js'
import type { Baselines } from './baselines.js'
import { builtData } from './built-data.js'
import { FlipRecorder } from './flip-recorder.js'
import { FlipRows } from './flip-rows.js'
import type { EntityRow } from './entity-states.js'
import type { PlacedFlip } from './entity-refold.js'
import type { Generation, Generations } from './generations.js'
import { KeptTellings } from './kept-tellings.js'
import { figuresIn, newTelling, tellAhead, type Telling } from './telling.js'
import { flipOf, isSameFlip, textOf, type ToldFlip } from './told-flip.js'

/** Tells of a segment that the log holds something else of it than what was derived here. */
export type OnDiverged = (diverged: {
  readonly segment: string
  readonly version: number
  readonly reason: string
}) => void

export interface TellingParts {
  readonly db: Database
  readonly catalog: Catalog
  readonly generations: Generations
  readonly baselines: Baselines
  readonly onDiverged: OnDiverged
}

/** So many rows are looked at together. */
const rowsAtOnce = 500

/**
 * Compares what the log is told of who enters and leaves segments with what was derived here, and
 * removes that from what is to be told.
 */
export class Tellings {
  readonly rows: FlipRows
  private readonly tellings: KeptTellings
  private readonly recorder: FlipRecorder

  constructor(private readonly parts: TellingParts) {
    this.rows = new FlipRows(parts.db)
    this.tellings = new KeptTellings(parts.db)
    this.recorder = new FlipRecorder(this.rows, this.tellings)
  }

  /** Of how many segments the log holds something else. */
  get diverged(): number {
    return this.tellings.all.filter(({ divergence }) => divergence !== undefined).length
  }

  isDiverged(key: string): boolean {
    return this.tellings.get(key)?.divergence !== undefined
  }

  /** To be called when others are defined or served than before. */
  refresh(): void {
    this.recorder.refresh(this.parts.catalog, this.parts.generations)
  }

  /**
   * A version is served from here on. `before`: what was served until now; what is not told of it now, as
   * by a process that has diverged from it, is not told any more.
   */
  built(served: DefinedSegment, before: DefinedSegment | undefined, fact: SegmentBuilt): void {
    if (before === served) {
      this.diverge(served, 'its version was told to be built twice')
      return
    }
    const isKept = this.keptOf(served) !== undefined
    const telling = newTelling(served.key, figuresIn(fact.data), isKept)
    this.tellings.begin(telling)
    const kept = this.parts.generations.get(served.active.id)
    if (kept !== undefined) this.rows.removeUntil(kept.id, served.through)
    this.refresh()
    if (isKept) this.compareFigures(served, telling)
  }

  private compareFigures(served: DefinedSegment, { built }: Telling): void {
    const { baselines } = this.parts
    const own = baselines.of(served)
    baselines.removeUntil(served)
    if (own === undefined || figuresIn(builtData(served, own)) === built) return
    this.diverge(served, 'it was built with other members')
  }

  /** Nothing more is told of a segment that is retired. */
  retired(key: string): void {
    this.tellings.remove(key)
  }

  /** The log is told that somebody entered or left. */
  take(fact: EntityEnteredSegment | EntityLeftSegment): void {
    const served = this.parts.catalog.servedAs(fact.data.segment)
    const telling = served && this.tellings.get(served.key)
    // Of one that was retired meanwhile, or differs already.
    if (served === undefined || telling === undefined || telling.divergence !== undefined) return
    if (fact.data.version !== served.version) {
      this.diverge(served, 'another version was told of')
    } else if (telling.isCompared) {
      this.takeNext(served, flipOf(fact))
    } else {
      this.tellings.change(telling)
      if (!tellAhead(telling, flipOf(fact))) this.diverge(served, 'it was not told in order')
    }
  }

  private takeNext(served: DefinedSegment, flip: ToldFlip): void {
    const kept = this.keptOf(served)
    const next = kept && this.rows.first(kept.id)
    if (kept !== undefined && next !== undefined && isSameFlip(next, flip)) {
      this.rows.remove(kept.id, next)
    } else {
      this.diverge(served, 'others entered or left than was told')
    }
  }

  /** What was built has come to the last known fact: what was told of it before is compared now. */
  compare(): void {
    for (const served of this.parts.catalog.served) {
      const telling = this.tellings.get(served.key)
      const kept = this.keptOf(served)
      if (telling === undefined || telling.isCompared || kept === undefined) continue
      telling.isCompared = true
      this.tellings.change(telling)
      if (telling.divergence !== undefined) continue
      this.rows.removeUntil(kept.id, served.through)
      this.takeTold(kept, telling)
      if (!telling.told.equals(telling.derived)) {
        this.diverge(served, 'others entered or left than was told')
      }
      this.compareFigures(served, telling)
    }
  }

  /** Removes what was told, up to the last of it. */
  private takeTold({ id }: Generation, { lastAt, lastFlip, told, derived }: Telling): void {
    const until = { logTime: lastAt, position: Number.MAX_SAFE_INTEGER }
    while (derived.flips < told.flips) {
      const page = this.rows.upTo(id, until, rowsAtOnce)
      for (const flip of page) {
        const text = textOf(flip)
        derived.add(text)
        this.rows.remove(id, flip)
        if (text === lastFlip) return
      }
      if (page.length === 0) return
    }
  }

  private diverge({ key, version }: DefinedSegment, reason: string): void {
    const telling = this.tellings.get(key)
    if (telling === undefined || telling.divergence !== undefined) return
    telling.divergence = reason
    this.tellings.change(telling)
    this.refresh()
    this.parts.onDiverged({ segment: key, version, reason })
  }

  /** Undefined: it is not evaluated here. */
  keptOf({ active }: DefinedSegment): Generation | undefined {
    return this.parts.generations.built(active.id)
  }

  /** Whether a membership change is to be published, or was. */
  isRecorded(placed: PlacedFlip): boolean {
    return this.recorder.isRecorded(placed)
  }

  record(generation: Generation, row: EntityRow, placed: PlacedFlip): void {
    this.recorder.record(generation, row, placed)
  }

  /** Too much waits in memory. */
  get isFull(): boolean {
    return this.rows.isFull
  }

  write(): void {
    this.rows.write()
    this.tellings.write()
  }
}
