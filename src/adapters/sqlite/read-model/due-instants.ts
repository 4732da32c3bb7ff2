import type { PlacedFact } from './projection.js'
import type { ReadModelFile } from './read-model-file.js'
import type { SegmentAnswers } from './segments/queries/segment-answers.js'
import type { SegmentProjection } from './segments/segment-projection.js'
import type { Slice } from './slice.js'

/**
 * The share of a slice that timers may use when they are evaluated together with facts. If the timers need more
 * time, they are evaluated in separate slices.
 */
const shareOfDue = 0.5

/**
 * Evaluates the timers that are due before a fact. If there are many timers, they are evaluated in several
 * slices (ADR 23). Between these slices nothing is committed, and queries return the committed members. Each
 * answer is therefore exact for its position.
 */
export class DueInstants {
  /** True when only some of the timers before the next fact are evaluated. */
  isPartlyDone = false

  /** If `file.committedDb` is undefined, all timers are evaluated in one slice. */
  constructor(
    private readonly file: Pick<ReadModelFile, 'committedDb'>,
    private readonly segments: SegmentProjection,
    private readonly memberships: SegmentAnswers,
    private readonly beginTransaction: () => void,
    private readonly sliceMs: number,
  ) {}

  /**
   * Evaluates the timers up to `until`, which is the log time at the next fact. Returns false if the slice ended
   * before all of these timers were evaluated. If the timers are few, returns true without evaluating them: they
   * are then evaluated together with the facts.
   */
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

  /**
   * Ends the evaluation in slices. Call it after the fact is applied. Returns true if timers were evaluated in
   * slices; the caller must then commit.
   */
  end(): boolean {
    const wasPartlyDone = this.isPartlyDone
    this.isPartlyDone = false
    this.memberships.unfreeze()
    return wasPartlyDone
  }

  /**
   * Returns the facts from the first one up to the point at which there are too many timers to evaluate while the
   * facts are applied.
   */
  ready(placed: readonly PlacedFact[]): readonly PlacedFact[] {
    const last = placed.at(-1)
    if (last === undefined) return placed
    const longFrom = this.longFrom(last.logTime)
    return longFrom > last.logTime ? placed : placed.filter(({ logTime }) => logTime < longFrom)
  }

  /**
   * Returns the instant of the first timer that does not fit into one slice together with all earlier timers.
   * Returns Infinity when all timers fit, or when no timer is due up to `until`.
   */
  private longFrom(until: number): number {
    const longFrom = this.segments.live.dueBeyond(this.sliceMs * shareOfDue, until)
    return longFrom === Infinity || this.file.committedDb !== undefined ? longFrom : Infinity
  }
}
