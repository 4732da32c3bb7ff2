import type { Flip, OnFlip, SegmentSet } from '../../../../domain/segments/membership.js'
import { membershipFact, type SubjectFact } from '../../../../domain/segments/replay.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Slice } from '../slice.js'
import type { DueEntity, EntityRow, EntityRows } from './entity-rows.js'
import type { KeptSegment, Members } from './kept-segments.js'

/** So many that are due are taken at a time. */
const dueAtOnce = 500

/** Evaluates segments for all entities of a bundle, as the log goes on. */
export class SegmentEngine {
  constructor(
    private readonly rows: EntityRows,
    private readonly kept: Members,
    private readonly onFlip: OnKeptFlip,
    private readonly set: SegmentSet,
    /** Those that are evaluated. */
    private readonly segments: readonly DefinedSegment[],
  ) {}

  /** Nothing is due before. */
  get nextDue(): number {
    return this.rows.nextDue
  }

  /**
   * Evaluates what is due up to log time `until`, each at its own instant, in order, until the slice is
   * over. Returns how many evaluations there were.
   */
  passTime(until: number, slice: Slice): number {
    let evaluations = 0
    while (this.rows.nextDue <= until) {
      const due = [...this.rows.dueUntil(until, dueAtOnce)]
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        this.fire(next, due, until)
        evaluations += 1
        if (slice.endsHere()) return evaluations
      }
    }
    return evaluations
  }

  private fire(next: DueEntity, due: DueEntity[], until: number): void {
    const row = this.rows.get(next.entity)
    // It was in both bundles, or is another's by now.
    if (row === undefined || row.state.due > next.due) return
    this.set.fire(row.subject, row.state, this.flips(row, 0))
    this.rows.change(row)
    const again = { entity: next.entity, due: row.state.due }
    const last = due.at(-1)
    if (again.due > until || last === undefined || isBefore(last, again)) return
    due.splice(
      due.findIndex((other) => isBefore(again, other)),
      0,
      again,
    )
  }

  /** The fact at a position, at log time `now`, after `passTime` up to there. */
  apply(entity: number, fact: SubjectFact, now: number, position: number): void {
    const known = membershipFact(fact, this.segments)
    if (known === undefined || !this.set.concerns(known)) return
    const row = this.rows.get(entity)
    if (row === undefined) return
    this.set.applyFact(row.subject, row.state, known, now, this.flips(row, position))
    this.rows.change(row)
  }

  private flips(row: EntityRow, position: number): OnFlip {
    return flipsInto(this.kept, row, position, this.onFlip)
  }

  write(): void {
    this.rows.write()
    this.kept.write()
  }
}

/** Told of each flip of a segment whose members are kept. `position`: of the fact; 0: time did it. */
export type OnKeptFlip = (kept: KeptSegment, row: EntityRow, flip: Flip, position: number) => void

/** Takes what an entity enters and leaves to the members. */
export function flipsInto(
  members: Members,
  row: EntityRow,
  position: number,
  onFlip: OnKeptFlip,
): OnFlip {
  return (flip) => {
    row.hasFlipped = true
    const kept = members.get(flip.segment)
    if (kept === undefined) return
    if (flip.enters) members.enter(kept, row, flip.at)
    else members.leave(kept, row)
    onFlip(kept, row, flip, position)
  }
}

function isBefore(left: DueEntity, right: DueEntity): boolean {
  return left.due < right.due || (left.due === right.due && left.entity < right.entity)
}
