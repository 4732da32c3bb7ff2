import type { EntityState } from '../../../../domain/segments/entity-state.js'
import type { MembershipChange, SegmentSet } from '../../../../domain/segments/membership.js'
import { Replay, type SubjectFact } from '../../../../domain/segments/replay.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import type { EntityRow } from './entity-states.js'
import type { RuleConditions } from './rule-conditions.js'

/** A definition, as a build meets it. */
export interface BuildStep extends TimelineStep {
  /** Those that are built and whose baseline is to be counted here. */
  readonly counted: readonly DefinedSegment[]
}

/** A membership change, and the fact that did it; 0: time did it. */
export interface PlacedChange {
  readonly change: MembershipChange
  readonly position: number
}

export interface RefoldParts {
  /** All that bear on what is built, in order. */
  readonly steps: readonly BuildStep[]
  readonly setOf: (segments: readonly DefinedSegment[]) => SegmentSet
  /** Whether a membership change is to be published, or was. */
  readonly isPublished: (placed: PlacedChange) => boolean
}

const noSegments: readonly DefinedSegment[] = []

/**
 * One entity as its own facts and the definitions make it: a pure function of the log. Nothing is
 * written, so it may be given up at any point.
 */
export class EntityRefold {
  /** Facts up to this position were applied. */
  reached = 0
  /** What is to be published, in the order of the log. */
  readonly changes: PlacedChange[] = []
  /** The segments that it was in where their baselines are counted. */
  readonly counted: DefinedSegment[] = []
  private readonly replay: Replay
  private nextStep: number
  private position = 0

  constructor(
    readonly row: EntityRow,
    private readonly parts: RefoldParts,
  ) {
    const { steps, setOf } = parts
    const first = steps.findIndex(({ since }) => since.position > row.entity)
    this.nextStep = first < 0 ? steps.length : first
    const segments = steps[this.nextStep - 1]?.segments ?? noSegments
    this.replay = new Replay(row.subject, setOf, segments, this.onChange)
  }

  apply(fact: SubjectFact, position: number, logTime: number): void {
    this.defineUntil(position)
    this.position = position
    this.replay.apply(fact, logTime)
  }

  /** The state at log time `now`, after the last fact. */
  end(now: number): EntityState {
    this.defineUntil(Infinity)
    this.replay.passTime(now)
    return this.replay.state
  }

  private defineUntil(position: number): void {
    const { steps } = this.parts
    for (
      let step = steps[this.nextStep];
      step !== undefined && step.since.position < position;
      step = steps[this.nextStep]
    ) {
      this.replay.define(step)
      for (const segment of step.counted) {
        if (this.replay.state.members.has(segment.active.id)) this.counted.push(segment)
      }
      this.nextStep += 1
    }
  }

  private readonly onChange = (change: MembershipChange): void => {
    const { kind, factId } = change.cause
    if (kind === 'definition') return
    const placed = { change, position: factId === undefined ? 0 : this.position }
    if (this.parts.isPublished(placed)) this.changes.push(placed)
  }
}

/**
 * Takes what was refolded in the place of what there was of it. `looked`: what is built looks at.
 * `isUpToDate`: of a condition that the state has for what is evaluated already, which may count more.
 */
export function overwrite(
  state: EntityState,
  refolded: EntityState,
  { names, conditions, segments }: RuleConditions,
  isUpToDate: (condition: string) => boolean,
): void {
  for (const name of names) replace(state.properties, refolded.properties, name)
  for (const id of conditions) {
    const instants = refolded.instants.get(id) ?? []
    const isMore = (state.instants.get(id)?.length ?? 0) > instants.length
    if (!isMore || !isUpToDate(id)) replace(state.instants, refolded.instants, id)
    replace(state.last, refolded.last, id)
    replace(state.heldSince, refolded.heldSince, id)
  }
  for (const id of segments) replace(state.members, refolded.members, id)
  state.due = Math.min(state.due, refolded.due)
}

function replace<Value>(
  there: Map<string, Value>,
  refolded: ReadonlyMap<string, Value>,
  id: string,
): void {
  const value = refolded.get(id)
  if (value === undefined) there.delete(id)
  else there.set(id, value)
}
