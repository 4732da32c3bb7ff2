import type { EntitySegment } from '../../../../application/segments/ports/segment-queries.js'
import type { InPieces } from '../../../../domain/in-pieces.js'
import type { AtAnyInstant } from '../../../../domain/segments/membership/entity-views.js'
import { firstChange } from '../../../../domain/segments/membership/evaluate.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { timestampIn } from '../../file/row.js'

/** A segment that an entity is in, and since when, in milliseconds since 1970. */
export interface SegmentSince {
  readonly segment: DefinedSegment
  readonly since: number
}

/** By key. Without an instant of leaving: that one costs an evaluation of each rule. */
export function keysAndSince(memberships: readonly SegmentSince[]) {
  const shown = memberships.map(({ segment: { key }, since }) => ({
    key,
    since: timestampIn(since),
  }))
  return shown.sort(byKey)
}

/** By key. `now`: in milliseconds since 1970. */
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

/** The first instant at which the entity enters or leaves, if nothing is recorded; undefined: never. */
export function* untilOf(
  { active }: DefinedSegment,
  entity: AtAnyInstant,
  now: number,
): InPieces<string | undefined> {
  const until = active.rule && (yield* firstChange(active.rule.node, entity, now))
  return until === undefined ? undefined : timestampIn(until)
}

/** Compares two of the same kind by their keys, which differ. */
export function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return left.key < right.key ? -1 : 1
}
