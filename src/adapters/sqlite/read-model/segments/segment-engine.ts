import type { OnFlip, SegmentSet } from '../../../../domain/segments/membership.js'
import { membershipFact, type SubjectFact } from '../../../../domain/segments/replay.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { DueEntity, EntityRow, EntityRows } from './entity-rows.js'
import type { Members } from './kept-segments.js'

/** So many that are due are taken at a time. */
const dueAtOnce = 500

/** Evaluates segments for all entities of a bundle, as the log goes on. */
export class SegmentEngine {
  constructor(
    private readonly rows: EntityRows,
    private readonly kept: Members,
    private readonly set: SegmentSet,
    /** Those that are evaluated. */
    private readonly segments: readonly DefinedSegment[],
  ) {}

  /** Nothing is due before. */
  get nextDue(): number {
    return this.rows.nextDue
  }

  /** Evaluates whatever is due up to log time `until`, each at its own instant, in order. */
  passTime(until: number): void {
    while (this.rows.nextDue <= until) {
      const due = [...this.rows.dueUntil(until, dueAtOnce)]
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        this.fire(next, due, until)
      }
    }
  }

  private fire(next: DueEntity, due: DueEntity[], until: number): void {
    const row = this.rows.get(next.entity)
    // It was in both bundles, or is another's by now.
    if (row === undefined || row.state.due > next.due) return
    this.set.fire(row.subject, row.state, flipsInto(this.kept, row))
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

  /** At log time `now`, after `passTime` up to there. */
  apply(entity: number, fact: SubjectFact, now: number): void {
    const known = membershipFact(fact, this.segments)
    if (known === undefined || !this.set.concerns(known)) return
    const row = this.rows.get(entity)
    if (row === undefined) return
    this.set.applyFact(row.subject, row.state, known, now, flipsInto(this.kept, row))
    this.rows.change(row)
  }

  write(): void {
    this.rows.write()
    this.kept.write()
  }
}

/** Takes what an entity enters and leaves to the members. */
export function flipsInto(members: Members, row: EntityRow): OnFlip {
  return ({ segment, enters, at }) => {
    const kept = members.get(segment)
    if (kept === undefined) return
    if (enters) members.enter(kept, row, at)
    else members.leave(kept, row)
  }
}

function isBefore(left: DueEntity, right: DueEntity): boolean {
  return left.due < right.due || (left.due === right.due && left.entity < right.entity)
}
