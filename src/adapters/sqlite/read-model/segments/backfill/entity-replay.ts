import type { EntityFact } from '../../../../../domain/facts.js'
import { EventTally, type Tallied } from '../../../../../domain/segments/membership/event-tally.js'
import type { EntityState } from '../../../../../domain/segments/membership/entity-state.js'
import type {
  MembershipChange,
  SegmentSet,
} from '../../../../../domain/segments/membership/membership.js'
import {
  TimelineReplay,
  Replay,
  type EarlierFactsAt,
} from '../../../../../domain/segments/membership/replay.js'
import type { DefinedSegment, TimelineStep } from '../../../../../domain/segments/timeline.js'
import type { ErasedBy } from '../../projection.js'
import type { Entry } from '../../entity-log/block.js'
import type { Voids } from '../../entity-log/voided-events.js'
import type { EntityRow } from '../evaluation/entity-states.js'
import type { RuleConditions } from '../evaluation/state-numbers.js'

/** A definition, with the segments whose members the backfill counts at this definition. */
export interface CountedStep extends TimelineStep {
  readonly counted: readonly DefinedSegment[]
}

/**
 * A membership change, with the position of the fact that caused the change. The position is 0 when a timer
 * caused the change.
 */
export interface PlacedChange {
  readonly change: MembershipChange
  readonly position: number
}

export interface ReplayParts {
  readonly steps: readonly CountedStep[]
  readonly setOf: (segments: readonly DefinedSegment[]) => SegmentSet
  readonly isPublished: (placed: PlacedChange) => boolean
  /** The event condition whose events are counted for each entity. Previews rank members by this count. */
  readonly tallied?: Tallied | undefined
  /** Called with each log entry that the replay reads, except voided events. A replay may read an entry twice. */
  readonly onEntry?: (entry: Entry) => void
}

const noSegments: readonly DefinedSegment[] = []

/** Replays the facts of one entity. The replay writes nothing, so a caller may abandon it at any point. */
export class EntityReplay {
  /** The position of the last log entry that was read. */
  reached = 0
  readonly changes: PlacedChange[] = []
  readonly counted: DefinedSegment[] = []
  readonly tally: EventTally | undefined
  private readonly timeline: TimelineReplay<CountedStep>

  /** The tally omits the voided events in `voids`. */
  constructor(
    readonly row: EntityRow,
    private readonly parts: ReplayParts,
    earlierAt: EarlierFactsAt,
    private readonly voids: Voids,
  ) {
    const { setOf, tallied } = parts
    this.tally = tallied && new EventTally(tallied)
    const { entity, subject, erasedBy } = row
    const steps = erasedBy === undefined ? parts.steps : stepsBefore(parts.steps, erasedBy)
    const created = steps.findLast(({ since }) => since.position <= entity)
    const replay = new Replay(subject, setOf, created?.segments ?? noSegments, this.onChange)
    const count = ({ counted }: CountedStep, { members }: EntityState) => {
      this.counted.push(...counted.filter(({ active }) => members.has(active.id)))
    }
    this.timeline = new TimelineReplay(replay, steps, earlierAt, entity, count)
  }

  searchesOf(fact: EntityFact, logTime: number): ReadonlySet<string> {
    return this.timeline.searchesOf(fact, logTime)
  }

  apply(fact: EntityFact, position: number, logTime: number): void {
    if (!this.voids.has(position)) this.tally?.add(fact)
    this.timeline.apply(fact, position, logTime)
  }

  end(now: number): EntityState {
    return this.timeline.end(this.row.erasedBy?.logTime ?? now)
  }

  private readonly onChange = (change: MembershipChange): void => {
    const { kind, factId } = change.cause
    if (kind === 'definition') return
    const placed = { change, position: factId === undefined ? 0 : this.timeline.position }
    if (this.parts.isPublished(placed)) this.changes.push(placed)
  }
}

function stepsBefore(steps: readonly CountedStep[], { logged }: ErasedBy): readonly CountedStep[] {
  return steps.filter(({ since }) => since.position < logged.position)
}

/**
 * Copies the properties, conditions and memberships that the backfilled rules use from `replayed` to `state`.
 * `isUpToDate` returns whether live evaluation already maintains a condition. For such a condition, `state` may
 * contain more event times than `replayed`, and then `state` keeps them.
 */
export function overwrite(
  state: EntityState,
  replayed: EntityState,
  { names, conditions, segments }: RuleConditions,
  isUpToDate: (condition: string) => boolean,
): void {
  for (const name of names) {
    replace(state.properties, replayed.properties, name)
    replace(state.times, replayed.times, name)
  }
  for (const id of conditions) {
    const instants = replayed.instants.get(id) ?? []
    const isMore = (state.instants.get(id)?.length ?? 0) > instants.length
    if (!isMore || !isUpToDate(id)) replace(state.instants, replayed.instants, id)
    replace(state.last, replayed.last, id)
    replace(state.sustainedSince, replayed.sustainedSince, id)
    replace(state.brokenAt, replayed.brokenAt, id)
  }
  for (const id of segments) replace(state.members, replayed.members, id)
  state.due = Math.min(state.due, replayed.due)
}

function replace<Value>(
  there: Map<string, Value>,
  replayed: ReadonlyMap<string, Value>,
  id: string,
): void {
  const value = replayed.get(id)
  if (value === undefined) there.delete(id)
  else there.set(id, value)
}
