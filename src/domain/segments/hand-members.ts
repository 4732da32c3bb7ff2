import { entityStream } from '../entity.js'
import type { Decision } from '../facts.js'
import { textViolations } from '../name.js'
import type { RuleViolation } from '../rule-violation.js'
import { timestampOf } from '../timestamp.js'
import type { Definitions } from './definitions.js'
import type { EntityAddedToSegment, EntityRemovedFromSegment, HandFact } from './segment-facts.js'

export const maxReasonLength = 255

/** The rule of a reason: at most 255 well-formed characters. */
export function reasonViolations(reason: string): readonly RuleViolation[] {
  return textViolations(reason, maxReasonLength)
}

export type HandRefusal = 'segment_not_found' | 'segment_by_rule'

/** Why nobody can be put into a segment by hand, or taken out of it; undefined when one can. */
export function handRefusal({ live }: Definitions, key: string): HandRefusal | undefined {
  const segment = live.get(key)
  if (segment === undefined) return 'segment_not_found'
  return segment.kind === 'hand' ? undefined : 'segment_by_rule'
}

/** The names keep the rules of their kinds, the reason that of `reasonViolations`. */
export interface ChangeMember {
  readonly factId: string
  readonly externalId: string
  readonly segment: string
  readonly reason: string | undefined
  readonly now: Date
}

/** Puts an entity that exists into a segment, whether it is in it or not. */
export function addToSegment(command: ChangeMember): Decision<EntityAddedToSegment> {
  const { stream, id, data } = changed(command)
  return { stream, expected: 'existing', facts: [{ id, type: 'EntityAddedToSegment', data }] }
}

/** Takes an entity that exists out of a segment, whether it is in it or not. */
export function removeFromSegment(command: ChangeMember): Decision<EntityRemovedFromSegment> {
  const { stream, id, data } = changed(command)
  return { stream, expected: 'existing', facts: [{ id, type: 'EntityRemovedFromSegment', data }] }
}

function changed({ factId, externalId, segment, reason, now }: ChangeMember) {
  const said = reason === undefined ? {} : { reason }
  const data = { externalId, segment, ...said, at: timestampOf(now) }
  return { stream: entityStream(externalId), id: factId, data }
}

/** Whether both come of the same request, whenever and under whatever id they were decided. */
export function isSameMemberChange({ type, data: left }: HandFact, right: HandFact): boolean {
  return (
    type === right.type &&
    left.externalId === right.data.externalId &&
    left.segment === right.data.segment &&
    left.reason === right.data.reason
  )
}
