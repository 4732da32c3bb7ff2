import type {
  Membership,
  MembershipPeriod,
  EntitySegment,
} from '../../../../../application/segments/ports/segment-queries.js'
import type { InPieces } from '../../../../../domain/in-pieces.js'
import { AllEvents } from '../../../../../domain/segments/membership/all-events.js'
import { AtAnyInstant } from '../../../../../domain/segments/membership/entity-views.js'
import { StateView } from '../../../../../domain/segments/membership/entity-state.js'
import { explain } from '../../../../../domain/segments/membership/explain.js'
import type { Matcher } from '../../../../../domain/segments/rule/matcher.js'
import type { Period, PeriodBound } from '../../../../../domain/segments/membership/periods.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { timestampIn } from '../../../file/row.js'
import type { Folded } from './fold-membership.js'
import { nameCondition } from '../hashes.js'
import { firstChange } from '../../../../../domain/segments/membership/evaluate.js'

const maxPeriods = 1_000

export function segmentsSince(
  segments: readonly DefinedSegment[],
  folded: Folded,
): readonly SegmentSince[] {
  return segments.flatMap((segment) => {
    const since = sinceOf(segment, folded)
    return since === undefined ? [] : [{ segment, since }]
  })
}

export function* membership(
  segment: DefinedSegment,
  all: readonly DefinedSegment[],
  folded: Folded,
): InPieces<Membership> {
  const { now } = folded
  const since = sinceOf(segment, folded)
  const { events, entity } = viewOf(all, folded)
  const ids = new Map(all.map(({ key, active }) => [key, active.id]))
  const options = { nameOf: nameCondition, segmentId: (key: string) => ids.get(key) }
  return {
    member: since !== undefined,
    since: since === undefined ? undefined : timestampIn(since),
    until: yield* untilOf(segment, entity, now),
    periods: folded.periodsOf(segment.key).slice(-maxPeriods).map(periodOf),
    why:
      segment.rule === undefined
        ? { holds: since !== undefined, until: null, by_hand: true }
        : yield* explain(segment.rule, { events, entity, now, options }),
  }
}

/** Returns the start of the current membership, or undefined when the entity is not a member. */
function sinceOf({ key }: DefinedSegment, { periodsOf }: Folded): number | undefined {
  const last = periodsOf(key).at(-1)
  return last?.left === undefined ? last?.entered.at : undefined
}

export function matchersOf(segments: readonly DefinedSegment[]): readonly Matcher[] {
  return segments.flatMap(({ active }) => active.rule?.matchers ?? [])
}

/**
 * Returns views of a replayed entity for evaluating rules of `segments` at `folded.now`. In `segments`, a
 * segment comes after the segments that its rule refers to.
 */
export function viewOf(segments: readonly DefinedSegment[], { subject, state, events }: Folded) {
  const atNow = new AllEvents(events, new StateView(subject, state))
  const rules = new Map(segments.map(({ active }) => [active.id, active.rule]))
  return { events: atNow, entity: new AtAnyInstant(atNow, (id) => rules.get(id)?.node) }
}

function periodOf({ entered, left }: Period): MembershipPeriod {
  return { entered: boundOf(entered), left: left && boundOf(left) }
}

function boundOf({ at, cause }: PeriodBound) {
  return { at: timestampIn(at), cause }
}

/**
 * A segment of which an entity is a member. `since` is the start of the membership, in milliseconds since 1970.
 */
export interface SegmentSince {
  readonly segment: DefinedSegment
  readonly since: number
}

/**
 * Returns the segments of an entity, sorted by key. Omits `until`, because computing it needs an evaluation of
 * each rule.
 */
export function keysAndSince(memberships: readonly SegmentSince[]) {
  const shown = memberships.map(({ segment: { key }, since }) => ({
    key,
    since: timestampIn(since),
  }))
  return shown.sort(byKey)
}

/** Returns the segments of an entity with `until`, sorted by key. `now` is in milliseconds since 1970. */
export function* entitySegments(
  memberships: readonly SegmentSince[],
  entity: AtAnyInstant,
  now: number,
): InPieces<readonly EntitySegment[]> {
  const shown: EntitySegment[] = []
  for (const { segment, since } of memberships) {
    const { key, version } = segment
    const until = yield* untilOf(segment, entity, now)
    shown.push({ key, version, since: timestampIn(since), until })
  }
  return shown.sort(byKey)
}

/**
 * Returns the first instant at which a timer makes the entity enter or leave the segment, or undefined when no
 * timer does.
 */
function* untilOf(
  { active }: DefinedSegment,
  entity: AtAnyInstant,
  now: number,
): InPieces<string | undefined> {
  const until = active.rule && (yield* firstChange(active.rule.node, entity, now))
  return until === undefined ? undefined : timestampIn(until)
}

/** Compares two items with different keys by key. */
export function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return left.key < right.key ? -1 : 1
}
