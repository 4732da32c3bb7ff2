import type { PlacedFact } from './projection.js'
import type { ReadModelFile } from './read-model-file.js'
import type { SegmentAnswers } from './segments/queries/segment-answers.js'
import type { SegmentProjection } from './segments/segment-projection.js'
import type { Slice } from './queries/slice.js'

/** The share of a slice that timers may take. Timers that take longer are evaluated in slices of their own. */
const shareOfDue = 0.5

/**
 * Evaluates the timers that are due before a fact. Many timers are evaluated in several slices (ADR 23).
 * Until the fact is applied, nothing is committed, and queries return the committed members. Each answer is
 * therefore exact for its position.
 */
export class DueInstants {
  /** True when only some of the timers before the next fact are evaluated. */
  isPartlyDone = false

  /** If `file.committedDb` is undefined, all timers are evaluated at once, without slices. */
  constructor(
    private readonly file: Pick<ReadModelFile, 'committedDb'>,
    private readonly segments: SegmentProjection,
    private readonly memberships: SegmentAnswers,
    private readonly beginTransaction: () => void,
    private readonly sliceMs: number,
  ) {}

  /**
   * Evaluates the timers up to `until`, which is the log time at the next fact. Returns false if the slice
   * ended before all of them were evaluated. Skips timers that `ready` allows to be evaluated together with
   * the facts.
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

  /** Call this after the fact is applied. Returns true, and the caller must commit, if slices were used. */
  end(): boolean {
    const wasPartlyDone = this.isPartlyDone
    this.isPartlyDone = false
    this.memberships.unfreeze()
    return wasPartlyDone
  }

  /** Returns the first facts, whose timers are few enough to be evaluated while the facts are applied. */
  ready(placed: readonly PlacedFact[]): readonly PlacedFact[] {
    const last = placed.at(-1)
    if (last === undefined) return placed
    const longFrom = this.longFrom(last.logTime)
    return longFrom > last.logTime ? placed : placed.filter(({ logTime }) => logTime < longFrom)
  }

  /** Returns the first instant up to `until` whose timers take too long for one slice, or Infinity. */
  private longFrom(until: number): number {
    const longFrom = this.segments.live.dueBeyond(this.sliceMs * shareOfDue, until)
    return longFrom === Infinity || this.file.committedDb !== undefined ? longFrom : Infinity
  }
}
