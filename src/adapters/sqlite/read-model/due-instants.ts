import type { PlacedFact } from './projection.js'
import type { ReadModelFile } from './read-model-file.js'
import type { SegmentAnswers } from './segments/queries/segment-answers.js'
import type { SegmentProjection } from './segments/segment-projection.js'
import type { Slice } from './queries/slice.js'

/** The share of a slice that timers before a fact may take, if they are evaluated together with the fact. */
const shareOfDue = 0.5

/**
 * Evaluates timers that are due before a fact, in slices when there are many (ADR 23). Until the fact is applied,
 * nothing is committed, and answers show committed members. So every answer is exact for its position.
 */
export class DueInstants {
  /** True while the timers before the next fact are only partly evaluated. */
  isPartlyDone = false

  /** Without `file.committedDb`, timers are evaluated without slices. */
  constructor(
    private readonly file: Pick<ReadModelFile, 'committedDb'>,
    private readonly segments: SegmentProjection,
    private readonly memberships: SegmentAnswers,
    private readonly beginTransaction: () => void,
    private readonly sliceMs: number,
  ) {}

  /** Evaluates timers up to `until`, the log time at the next fact. Returns false when the slice ended first. */
  pass(until: number, slice: Slice, commit: () => void): boolean {
    if (!this.isPartlyDone && until < this.longFrom(until)) return true
    if (!this.isPartlyDone) this.begin(commit)
    return this.segments.passTime(until, slice)
  }

  private begin(commit: () => void): void {
    const { committedDb } = this.file
    commit()
    this.beginTransaction()
    this.isPartlyDone = true
    if (committedDb !== undefined) this.memberships.freeze(committedDb)
  }

  /** Call after applying the fact. Returns true when timers were evaluated in slices: commit then. */
  end(): boolean {
    const wasUnderWay = this.isPartlyDone
    this.isPartlyDone = false
    this.memberships.unfreeze()
    return wasUnderWay
  }

  /** The first facts whose timers are few enough to evaluate while the facts are applied. */
  ready(placed: readonly PlacedFact[]): readonly PlacedFact[] {
    const last = placed.at(-1)
    if (last === undefined) return placed
    const longFrom = this.longFrom(last.logTime)
    return longFrom > last.logTime ? placed : placed.filter(({ logTime }) => logTime < longFrom)
  }

  /** The first instant up to `until` whose timers take too long for one slice. Infinity: none. */
  private longFrom(until: number): number {
    const longFrom = this.segments.live.dueBeyond(this.sliceMs * shareOfDue, until)
    return longFrom === Infinity || this.file.committedDb !== undefined ? longFrom : Infinity
  }
}
