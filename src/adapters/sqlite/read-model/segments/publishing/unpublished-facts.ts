import type {
  Unpublished,
  UnpublishedFact,
} from '../../../../../application/segments/ports/segment-queries.js'
import type { StoredFact } from '../../../../../application/facts/stored-fact.js'
import { maxExactFacts } from '../../../../../application/ports/exact-appends.js'
import { isAfter, type ChangePlace } from './published-change.js'
import {
  clockStream,
  membersStream,
  type EntityEnteredSegment,
  type EntityLeftSegment,
} from '../../../../../domain/segments/segment-facts.js'
import type { DefinedSegment, Since } from '../../../../../domain/segments/timeline.js'
import { timestampIn } from '../../../file/row.js'
import { requestIdOf } from '../../../../../application/facts/fact-text.js'
import { missing } from '../../../file/fact-reader.js'
import { builtData, type Baseline } from '../backfill/baselines.js'
import type { OutboxRow } from './outbox.js'
import type { Generation } from '../evaluation/generations.js'
import type { StreamLengths } from './stream-lengths.js'
import type { PublicationParts, Publications } from './publications.js'

/** `next` adds no further segment when it has collected this number of facts. */
const factsAtOnce = 1_000

type Cause = NonNullable<UnpublishedFact['causedBy']>

type CausePlace = Pick<OutboxRow, 'position'> & Partial<Pick<OutboxRow, 'entity' | 'cause'>>

type ChangeFact = Omit<EntityEnteredSegment, 'id'> | Omit<EntityLeftSegment, 'id'>

interface ServedChanges {
  readonly served: DefinedSegment
  readonly generation: Generation
}

interface Built {
  readonly segment: DefinedSegment
  readonly baseline: Baseline
}

/** The next facts to publish for one segment. */
interface Next {
  readonly key: string
  /**
   * The version that queries use, if its changes can be published. Undefined when queries use no version, when
   * the version is not backfilled here, or when the segment has diverged.
   */
  readonly changes: ServedChanges | undefined
  /** The definition up to which changes are published. Undefined when all changes are published. */
  readonly until: Since | undefined
  /** The completed backfill to publish after the changes. */
  readonly built: Built | undefined
}

interface UnpublishedFigures {
  readonly hasUnpublished: boolean
  readonly changes: number
  /** The instant from which the oldest fact waits for publication, in milliseconds since 1970. */
  readonly since: number | undefined
}

/**
 * Derives the next facts to publish. For each segment, the facts are the changes of the version that queries use,
 * up to the next definition, and then the `SegmentBuilt` of that definition. Every process derives the same facts
 * in the same order.
 */
export class UnpublishedFacts {
  constructor(
    private readonly parts: PublicationParts,
    private readonly publications: Publications,
    private readonly lengths: StreamLengths,
  ) {}

  get figures(): UnpublishedFigures {
    let changes = 0
    let since = Infinity
    for (const defined of this.parts.catalog.segments) {
      const next = this.nextOf(defined)
      changes +=
        next.changes === undefined ? 0 : this.publications.outbox.count(next.changes.generation.id)
      since = Math.min(since, this.sinceOf(next))
    }
    const hasUnpublished = since !== Infinity
    return { hasUnpublished, changes, since: hasUnpublished ? since : undefined }
  }

  /**
   * Returns the next facts to publish. The facts of the segment that has waited longest come first. `except`
   * names streams to skip.
   */
  next(except: readonly string[]): Unpublished {
    const waiting = this.parts.catalog.segments
      .map((defined) => this.nextOf(defined))
      .map((next) => ({ next, since: this.sinceOf(next) }))
      .sort((left, right) => left.since - right.since)
    const streams: Unpublished['streams'][number][] = []
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
    const generation = served && this.publications.generationOf(served)
    const isPublished = generation !== undefined && !this.publications.isDiverged(key)
    const changes = served !== undefined && isPublished ? { served, generation } : undefined
    if (served === defined) return { key, changes, built: undefined, until: undefined }
    // The `SegmentBuilt` of a new version waits until the version that queries use is backfilled, because the
    // changes of that version are published first.
    const isEarly = served !== undefined && !served.isForeign && generation === undefined
    const built = isEarly ? undefined : this.builtOf(defined)
    return { key, changes, built, until: defined.through }
  }

  private builtOf(segment: DefinedSegment): Built | undefined {
    if (this.publications.generationOf(segment) === undefined) return undefined
    const baseline = this.parts.baselines.of(segment)
    return baseline && { segment, baseline }
  }

  private sinceOf(next: Next): number {
    return this.firstOf(next)?.at ?? next.built?.segment.through.logTime ?? Infinity
  }

  private firstOf({ changes, until }: Next): ChangePlace | undefined {
    const first = changes && this.publications.outbox.first(changes.generation.id)
    return first === undefined || (until !== undefined && isAfter(first, until)) ? undefined : first
  }

  private factsOf({ changes, built, until }: Next): readonly UnpublishedFact[] {
    const facts = changes === undefined ? [] : this.changesOf(changes, until)
    return built === undefined || facts.length === maxExactFacts
      ? facts
      : [...facts, this.factOf(built)]
  }

  private changesOf(
    { served, generation }: ServedChanges,
    until: Since | undefined,
  ): readonly UnpublishedFact[] {
    const rows = this.publications.outbox.upTo(generation.id, until, maxExactFacts)
    const causes = this.causesAt(rows)
    return rows.map((row) => ({ ...factOfChange(row, served), causedBy: causes.get(row.position) }))
  }

  private factOf({ segment, baseline }: Built): UnpublishedFact {
    const { position } = segment.through
    const causedBy = this.causesAt([{ position }]).get(position)
    return { type: 'SegmentBuilt', data: builtData(segment, baseline), causedBy }
  }

  /** Returns the cause of each change by position. Position 0 stands for a timer and has no cause. */
  private causesAt(places: readonly CausePlace[]): ReadonlyMap<number, Cause> {
    const wanted = new Map(places.map((place) => [place.position, place]))
    wanted.delete(0)
    const stored = this.parts.tables.facts.stored([...wanted.keys()])
    const causes = [...wanted].map(([position, place]) => {
      const found = stored.get(position)
      const isThere = found !== undefined && found.type !== 'FactErased'
      const fact = isThere ? found : this.erasureOf(place)
      return [
        position,
        { factId: place.cause?.factId ?? fact.id, requestId: requestIdOf(fact) },
      ] as const
    })
    return new Map(causes)
  }

  /**
   * Returns the `EntityErased` fact as the cause of a change, because the fact that caused the change was
   * removed.
   */
  private erasureOf({ entity, position }: CausePlace): StoredFact {
    const { erased, facts } = this.parts.tables
    const erasedAt = entity === undefined ? undefined : erased.positionOf(entity)
    if (erasedAt === undefined) return missing(position)
    return facts.stored([erasedAt]).get(erasedAt) ?? missing(erasedAt)
  }
}

function factOfChange(
  { enters, entityId, at, cause }: OutboxRow,
  { key: segment, version }: DefinedSegment,
): ChangeFact {
  const data = { segment, version, entityId, at: timestampIn(at), cause }
  return { type: enters ? 'EntityEnteredSegment' : 'EntityLeftSegment', data }
}
