import type { Catalog } from '../../../../domain/segments/catalog.js'
import { isAfter } from '../../../../domain/segments/flip-place.js'
import type {
  EntityEnteredSegment,
  EntityLeftSegment,
  SegmentBuilt,
} from '../../../../domain/segments/segment-facts.js'
import type { DefinedSegment, Since } from '../../../../domain/segments/timeline.js'
import type { Database } from '../../file/driver.js'
import type { Baselines } from './baselines.js'
import { builtData } from './built-data.js'
import { liveBundle } from './bundles.js'
import { FlipRows } from './flip-rows.js'
import type { KeptSegment, KeptSegments } from './kept-segments.js'
import { KeptTellings } from './kept-tellings.js'
import type { OnKeptFlip } from './segment-engine.js'
import { figuresIn, newTelling, tellAhead, type Telling } from './telling.js'
import { flipOf, isSameFlip, textOf, toldKind, type ToldFlip } from './told-flip.js'

/** Tells of a segment that the log holds something else of it than what was derived here. */
export type OnDiverged = (diverged: {
  readonly segment: string
  readonly version: number
  readonly reason: string
}) => void

export interface TellingParts {
  readonly db: Database
  readonly catalog: Catalog
  readonly kept: KeptSegments
  readonly baselines: Baselines
  readonly onDiverged: OnDiverged
}

/** A segment whose flips are recorded. */
interface Recorded {
  readonly from: Since
  /** Of what is served. */
  readonly telling: Telling | undefined
}

/** So many rows are looked at together. */
const rowsAtOnce = 500

/**
 * Records who enters and leaves segments until the log was told of it, and compares what it was told with
 * what was derived here. Of a version the flips after its definition count, up to the next definition.
 */
export class Tellings {
  readonly rows: FlipRows
  private readonly tellings: KeptTellings
  private recorded: ReadonlyMap<string, Recorded> = new Map()

  constructor(private readonly parts: TellingParts) {
    this.rows = new FlipRows(parts.db)
    this.tellings = new KeptTellings(parts.db)
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
    const { catalog, kept } = this.parts
    const recorded = new Map<string, Recorded>()
    for (const { key, active, through: from } of catalog.served) {
      const telling = this.tellings.get(key)
      if (telling?.divergence === undefined) recorded.set(active.id, { from, telling })
    }
    for (const { active, through: from } of catalog.pending) {
      if (!recorded.has(active.id)) recorded.set(active.id, { from, telling: undefined })
    }
    this.recorded = recorded
    const ids = [...recorded.keys()].flatMap((active) => kept.get(active)?.id ?? [])
    this.rows.removeOthers(new Set(ids))
  }

  /** Records a flip where it is to be told. */
  readonly onFlip: OnKeptFlip = (kept, { entity, entityId }, flip, position) => {
    const recorded = this.recorded.get(kept.active)
    if (recorded === undefined || !isAfter({ at: flip.at, position }, recorded.from)) return
    const { at, enters, cause } = flip
    const told = { at, enters, entityId, cause: { ...cause, kind: toldKind(cause.kind) } }
    const { telling } = recorded
    if (telling === undefined || telling.isCompared || at >= telling.lastAt) {
      this.rows.add(kept.id, { ...told, position, entity })
    } else {
      telling.derived.add(textOf(told))
      this.tellings.change(telling)
    }
  }

  /** A version is served from here on. `before`: what was served until now. */
  built(served: DefinedSegment, before: DefinedSegment | undefined, fact: SegmentBuilt): void {
    if (before === served) {
      this.diverge(served, 'its version was told to be built twice')
      return
    }
    const isCutShort = before !== undefined && this.hasUntold(before, served.through)
    const isKept = this.keptOf(served) !== undefined
    const telling = newTelling(served.key, figuresIn(fact.data), isKept)
    this.tellings.begin(telling)
    const kept = this.parts.kept.get(served.active.id)
    if (kept !== undefined) this.rows.removeUntil(kept.id, served.through)
    this.refresh()
    if (isCutShort) this.diverge(served, 'not all who entered or left before it were told')
    if (isKept) this.compareFigures(served, telling)
  }

  private hasUntold(before: DefinedSegment, until: Since): boolean {
    const kept = this.keptOf(before)
    return kept !== undefined && this.rows.upTo(kept.id, until, 1).length > 0
  }

  private compareFigures(served: DefinedSegment, { built }: Telling): void {
    const { baselines } = this.parts
    const own = baselines.of(served)
    baselines.removeAll(served.key)
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
  private takeTold({ id }: KeptSegment, { lastAt, lastFlip, told, derived }: Telling): void {
    const until = { logTime: lastAt, position: Number.MAX_SAFE_INTEGER, factId: '' }
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
  keptOf({ active }: DefinedSegment): KeptSegment | undefined {
    const kept = this.parts.kept.get(active.id)
    return kept?.bundle === liveBundle ? kept : undefined
  }

  write(): void {
    this.rows.write()
    this.tellings.write()
  }
}
