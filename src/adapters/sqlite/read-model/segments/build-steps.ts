import { Conditions } from '../../../../domain/segments/conditions.js'
import { SegmentSet, type Change } from '../../../../domain/segments/membership.js'
import type { MembershipFact } from '../../../../domain/segments/membership.js'
import { membershipFact, type SubjectFact } from '../../../../domain/segments/replay.js'
import type { DefinedSegment, Since, TimelineStep } from '../../../../domain/segments/timeline.js'

/** A definition, as a build meets it. */
export interface BuildStep {
  readonly since: Since
  readonly changes: readonly Change[]
  /** Those whose baseline is to be counted here. */
  readonly counted: readonly DefinedSegment[]
  /** What is evaluated after it. */
  readonly set: SegmentSet
  readonly segments: readonly DefinedSegment[]
}

const beginning: Since = { position: 0, factId: '', logTime: 0 }

/**
 * The definitions that a build has met so far. Entities are brought up to them one by one, when something
 * happens to them, and in the end.
 */
export class BuildSteps {
  private readonly met: BuildStep[]
  private readonly conditions: Conditions

  /** `steps`: all that bear on what is built, in order. */
  constructor(private readonly steps: readonly TimelineStep[]) {
    const segments = steps.flatMap((step) => step.segments)
    this.conditions = new Conditions(segments.flatMap(({ active }) => active.rule ?? []))
    const set = new SegmentSet([], this.conditions)
    this.met = [{ since: beginning, changes: [], counted: [], set, segments: [] }]
  }

  get last(): BuildStep {
    const last = this.met.at(-1)
    if (last === undefined) throw new Error('a build begins with nothing')
    return last
  }

  /** The log has come to a definition. `counted`: those whose baseline it is. */
  meet(position: number, counted: readonly DefinedSegment[]): void {
    const step = this.steps.find(({ since }) => since.position === position)
    const since = step?.since ?? counted[0]?.through
    if (since === undefined) return
    const changes = step?.changes ?? []
    if (step === undefined || changes.length === 0) {
      this.met.push({ ...this.last, since, changes: [], counted })
      return
    }
    const { segments } = step
    const active = segments.map((segment) => segment.active)
    this.met.push({
      since,
      changes,
      counted,
      set: new SegmentSet(active, this.conditions),
      segments,
    })
  }

  /** A fact as the rules of now see it; undefined: it changes nothing. */
  concerned(fact: SubjectFact): MembershipFact | undefined {
    const { set, segments } = this.last
    const known = membershipFact(fact, segments)
    return known !== undefined && set.concerns(known) ? known : undefined
  }

  /** From the one that holds at a position on. */
  from(position: number): readonly BuildStep[] {
    if (this.last.since.position <= position) return [this.last]
    return this.met.slice(this.met.findLastIndex(({ since }) => since.position <= position))
  }
}
