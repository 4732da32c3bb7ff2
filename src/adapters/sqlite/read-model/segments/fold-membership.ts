import type { EventRecorded } from '../../../../domain/event.js'
import { effectOf, inEffectOrder } from '../../../../domain/segments/effect-order.js'
import type { EntityState, Subject } from '../../../../domain/segments/entity-state.js'
import { Replay, type Period, type SubjectFact } from '../../../../domain/segments/replay.js'
import { isHandFact } from '../../../../domain/segments/segment-facts.js'
import { segmentSets } from '../../../../domain/segments/segment-sets.js'
import type { DefinedSegment, TimelineStep } from '../../../../domain/segments/timeline.js'
import { validPeriods } from '../../../../domain/segments/valid-periods.js'
import type { KnownPrefix } from './log-times.js'

/** What the membership of an entity is folded of. */
export interface Told {
  /** Of the log up to here. */
  readonly known: KnownPrefix
  /** What took effect by then, in milliseconds since 1970; undefined: all, as the log told it. */
  readonly asOf: number | undefined
  /** In the order of the log: they change what is evaluated; with `asOf` there are none. */
  readonly steps: readonly TimelineStep[]
  /** What is evaluated from the beginning on. */
  readonly segments: readonly DefinedSegment[]
}

export interface Folded {
  readonly subject: Subject
  readonly state: EntityState
  /** Every time that the entity was in a segment, the first one first. */
  readonly periodsOf: (key: string) => readonly Period[]
  /** In the order in which they were recorded. */
  readonly events: readonly EventRecorded[]
  /** The instant for which it holds, in milliseconds since 1970. */
  readonly now: number
}

export interface PlacedFact {
  readonly fact: SubjectFact
  readonly position: number
  /** Log time at it, in milliseconds since 1970. */
  readonly logTime: number
}

/** Undefined: the entity was not there. `own`: its facts, in the order of the log. */
export function foldMembership(
  subject: Subject,
  own: readonly PlacedFact[],
  told: Told,
): Folded | undefined {
  const { segments, asOf } = told
  const placed = own.filter(
    ({ fact, position }) =>
      (asOf === undefined || effectOf(fact) <= asOf) && !isOfAnotherLife(fact, position, segments),
  )
  if (!placed.some(({ fact }) => fact.type === 'EntityCreated')) return undefined
  if (asOf === undefined) return recorded(subject, placed, told)
  return valid(subject, placed, told, asOf)
}

/** As the log told it. */
function recorded(subject: Subject, placed: readonly PlacedFact[], told: Told): Folded {
  const replay = replayOf(subject, told)
  const later = [...told.steps]
  for (const { fact, position, logTime } of placed) {
    for (
      let step = later[0];
      step !== undefined && step.since.position < position;
      step = later[0]
    ) {
      replay.define(step)
      later.shift()
    }
    replay.apply(fact, logTime)
  }
  for (const step of later) replay.define(step)
  const now = told.known.logTime
  replay.passTime(now)
  const periodsOf = (key: string) => replay.periodsOf(key)
  return { subject, state: replay.state, periodsOf, events: eventsOf(placed), now }
}

/** As it took effect. */
function valid(subject: Subject, placed: readonly PlacedFact[], told: Told, now: number): Folded {
  const replay = replayOf(subject, told)
  for (const { fact, at } of inEffectOrder(placed.map((one) => one.fact))) replay.apply(fact, at)
  replay.passTime(now)
  const periodsOf = (key: string) => validPeriods(replay.periodsOf(key))
  return { subject, state: replay.state, periodsOf, events: eventsOf(placed), now }
}

function replayOf(subject: Subject, { segments, steps }: Told): Replay {
  const setOf = segmentSets([segments, ...steps.map((step) => step.segments)])
  return new Replay(subject, setOf, segments)
}

function eventsOf(placed: readonly PlacedFact[]): readonly EventRecorded[] {
  return placed.flatMap(({ fact }) => (fact.type === 'EventRecorded' ? [fact] : []))
}

/** A segment by hand was empty when it was defined; what came before belongs to one that was retired. */
function isOfAnotherLife(
  fact: SubjectFact,
  position: number,
  segments: readonly DefinedSegment[],
): boolean {
  if (!isHandFact(fact)) return false
  return segments.some(({ key, activeFrom }) => key === fact.data.segment && position < activeFrom)
}
