import type { PlacedFact } from './projection.js'
import type { ReadModelFile } from './read-model-file.js'
import type { SegmentAnswers } from './segments/queries/segment-answers.js'
import type { SegmentProjection } from './segments/segment-projection.js'
import type { Slice } from './queries/slice.js'

/** The share of a slice that due instants may take before a fact, together with it. */
const shareOfDue = 0.5

/**
 * Evaluates what is due before a fact in slices, where it takes long (ADR 23). Until the fact is applied,
 * nothing may be committed, and members are answered as they are committed: so every answer is exact at
 * the checkpoint.
 */
export class DueInstants {
  /** What is due before the next fact was evaluated in part. */
  isPartlyDone = false

  /** `file.committedDb` undefined: all is evaluated in one go. */
  constructor(
    private readonly file: Pick<ReadModelFile, 'committedDb'>,
    private readonly segments: SegmentProjection,
    private readonly memberships: SegmentAnswers,
    private readonly beginTransaction: () => void,
    private readonly sliceMs: number,
  ) {}

  /** `until`: log time at the next fact. False: the slice was over before all was done. */
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

  /** The fact is applied. Returns whether anything was done in slices: it is to be committed. */
  end(): boolean {
    const wasUnderWay = this.isPartlyDone
    this.isPartlyDone = false
    this.memberships.unfreeze()
    return wasUnderWay
  }

  /** The first facts, as far as what is due before them may be evaluated as they are applied. */
  ready(placed: readonly PlacedFact[]): readonly PlacedFact[] {
    const last = placed.at(-1)
    if (last === undefined) return placed
    const longFrom = this.longFrom(last.logTime)
    return longFrom > last.logTime ? placed : placed.filter(({ logTime }) => logTime < longFrom)
  }

  /** What is due up to here, and not after `until`, takes too long for one slice; Infinity: nothing does. */
  private longFrom(until: number): number {
    const longFrom = this.segments.live.dueBeyond(this.sliceMs * shareOfDue, until)
    return longFrom === Infinity || this.file.committedDb !== undefined ? longFrom : Infinity
  }
}
