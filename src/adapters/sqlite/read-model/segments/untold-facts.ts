import type { Untold, UntoldFact } from '../../../../application/reading/ports/segment-queries.js'
import { maxExactFacts } from '../../../../application/ports/exact-appends.js'
import { isAfter, type FlipPlace } from '../../../../domain/segments/flip-place.js'
import {
  clockStream,
  membersStream,
  type EntityEnteredSegment,
  type EntityLeftSegment,
} from '../../../../domain/segments/segment-facts.js'
import type { DefinedSegment, Since } from '../../../../domain/segments/timeline.js'
import { timestampIn } from '../columns.js'
import { requestIdOf } from '../../../../application/facts/fact-text.js'
import { missing, type KnownFacts } from '../known-facts.js'
import type { Baseline } from './baselines.js'
import { builtData } from './built-data.js'
import type { FlipRow } from './flip-rows.js'
import type { KeptSegment } from './kept-segments.js'
import type { StreamLengths } from './stream-lengths.js'
import type { TellingParts, Tellings } from './tellings.js'

/** So many are told of between two looks, and what one segment has more. */
const factsAtOnce = 1_000

type Cause = NonNullable<UntoldFact['causedBy']>

type Turn = Omit<EntityEnteredSegment, 'id'> | Omit<EntityLeftSegment, 'id'>

interface Flips {
  readonly served: DefinedSegment
  readonly kept: KeptSegment
}

interface Built {
  readonly segment: DefinedSegment
  readonly baseline: Baseline
}

/** What is to be told of one segment next. */
interface Next {
  readonly key: string
  /** Undefined: nothing is told of what is served. */
  readonly flips: Flips | undefined
  /** The flips that are told end there. */
  readonly until: Since | undefined
  /** To be told behind them. */
  readonly built: Built | undefined
}

export interface UntoldFigures {
  readonly hasUntold: boolean
  /** How many flips of what is served wait to be told. */
  readonly flips: number
  /** Since when the first of those that can be told waits, in milliseconds since 1970. */
  readonly since: number | undefined
}

/**
 * What the log is to be told next of segments: of each who entered and left what is served, up to its
 * next definition; then that this one was built. Everybody derives the same, in the same order.
 */
export class UntoldFacts {
  constructor(
    private readonly parts: Pick<TellingParts, 'catalog' | 'baselines'>,
    private readonly tellings: Tellings,
    private readonly lengths: StreamLengths,
    private readonly facts: KnownFacts,
  ) {}

  get figures(): UntoldFigures {
    let flips = 0
    let since = Infinity
    for (const defined of this.parts.catalog.segments) {
      const next = this.nextOf(defined)
      flips += next.flips === undefined ? 0 : this.tellings.rows.count(next.flips.kept.id)
      since = Math.min(since, this.sinceOf(next))
    }
    const hasUntold = since !== Infinity
    return { hasUntold, flips, since: hasUntold ? since : undefined }
  }

  /** What has waited longest comes first. */
  next(except: readonly string[]): Untold {
    const waiting = this.parts.catalog.segments
      .map((defined) => this.nextOf(defined))
      .map((next) => ({ next, since: this.sinceOf(next) }))
      .sort((left, right) => left.since - right.since)
    const streams: Untold['streams'][number][] = []
    let count = 0
    for (const { next } of waiting) {
      if (count >= factsAtOnce) break
      if (except.includes(membersStream(next.key))) continue
      const facts = this.factsOf(next)
      if (facts.length === 0) continue
      count += facts.length
      const stream = membersStream(next.key)
      streams.push({ stream, revision: this.lengths.of(stream) - 1, facts })
    }
    return { streams, clockRevision: this.lengths.of(clockStream) - 1 }
  }

  private nextOf(defined: DefinedSegment): Next {
    const { key } = defined
    const served = this.parts.catalog.servedAs(key)
    const kept = served && this.tellings.keptOf(served)
    const isTold = kept !== undefined && !this.tellings.isDiverged(key)
    const flips = served !== undefined && isTold ? { served, kept } : undefined
    if (served === defined) return { key, flips, built: undefined, until: undefined }
    // Who entered and left what is served is to be known first.
    const isEarly = served !== undefined && !served.isForeign && kept === undefined
    const built = isEarly ? undefined : this.builtOf(defined)
    return { key, flips, built, until: defined.through }
  }

  private builtOf(segment: DefinedSegment): Built | undefined {
    if (this.tellings.keptOf(segment) === undefined) return undefined
    const baseline = this.parts.baselines.of(segment)
    return baseline && { segment, baseline }
  }

  private sinceOf(next: Next): number {
    return this.firstOf(next)?.at ?? next.built?.segment.through.logTime ?? Infinity
  }

  private firstOf({ flips, until }: Next): FlipPlace | undefined {
    const first = flips && this.tellings.rows.first(flips.kept.id)
    return first === undefined || (until !== undefined && isAfter(first, until)) ? undefined : first
  }

  private factsOf({ flips, built, until }: Next): readonly UntoldFact[] {
    const turns = flips === undefined ? [] : this.turnsOf(flips, until)
    return built === undefined || turns.length === maxExactFacts
      ? turns
      : [...turns, this.factOf(built)]
  }

  private turnsOf({ served, kept }: Flips, until: Since | undefined): readonly UntoldFact[] {
    const rows = this.tellings.rows.upTo(kept.id, until, maxExactFacts)
    const causes = this.causesAt(rows.map(({ position }) => position))
    return rows.map((row) => ({ ...turnOf(row, served), causedBy: causes.get(row.position) }))
  }

  private factOf({ segment, baseline }: Built): UntoldFact {
    const { position } = segment.through
    const causedBy = this.causesAt([position]).get(position)
    return { type: 'SegmentBuilt', data: builtData(segment, baseline), causedBy }
  }

  /** Time, at position 0, has no fact. */
  private causesAt(positions: readonly number[]): ReadonlyMap<number, Cause> {
    const wanted = [...new Set(positions)].filter((position) => position > 0)
    const stored = this.facts.stored(wanted)
    const causes = wanted.map((position) => {
      const fact = stored.get(position) ?? missing(position)
      return [position, { factId: fact.id, requestId: requestIdOf(fact) }] as const
    })
    return new Map(causes)
  }
}

function turnOf(
  { enters, entityId, at, cause }: FlipRow,
  { key: segment, version }: DefinedSegment,
): Turn {
  const data = { segment, version, entityId, at: timestampIn(at), cause }
  return { type: enters ? 'EntityEnteredSegment' : 'EntityLeftSegment', data }
}
