import { entityStream } from '../entity.js'
import type { Decision } from '../facts.js'
import { textViolations } from '../name.js'
import type { RuleViolation } from '../rule-violation.js'
import { timestampOf } from '../timestamp.js'
import type { Definitions } from './definitions.js'
import type { EntityAddedToSegment, EntityRemovedFromSegment, HandFact } from './segment-facts.js'

export const maxReasonLength = 255

/** Checks the reason for a membership change by hand: at most 255 well-formed characters. */
export function reasonViolations(reason: string): readonly RuleViolation[] {
  return textViolations(reason, maxReasonLength)
}

export type HandRefusal = 'segment_not_found' | 'segment_by_rule'

/** Returns why the members of a segment cannot be changed by hand, or undefined when they can be changed. */
export function handRefusal({ live }: Definitions, key: string): HandRefusal | undefined {
  const segment = live.get(key)
  if (segment === undefined) return 'segment_not_found'
  return segment.kind === 'hand' ? undefined : 'segment_by_rule'
}

/** A membership change by hand. The caller has validated the external id, the segment key and the reason. */
export interface ChangeMember {
  readonly factId: string
  readonly externalId: string
  readonly segment: string
  readonly reason: string | undefined
  readonly now: Date
}

/** Decides to add an existing entity to a segment. The fact is recorded even if the entity is already a member. */
export function addToSegment(command: ChangeMember): Decision<EntityAddedToSegment> {
  const { stream, id, data } = changed(command)
  return { stream, expected: 'existing', facts: [{ id, type: 'EntityAddedToSegment', data }] }
}

/** Decides to remove an existing entity from a segment. The fact is recorded even if the entity is not a member. */
export function removeFromSegment(command: ChangeMember): Decision<EntityRemovedFromSegment> {
  const { stream, id, data } = changed(command)
  return { stream, expected: 'existing', facts: [{ id, type: 'EntityRemovedFromSegment', data }] }
}

function changed({ factId, externalId, segment, reason, now }: ChangeMember) {
  const said = reason === undefined ? {} : { reason }
  const data = { externalId, segment, ...said, at: timestampOf(now) }
  return { stream: entityStream(externalId), id: factId, data }
}

/** Returns whether two facts come from equal requests. Their ids and times may differ. */
export function isSameMemberChange({ type, data: left }: HandFact, right: HandFact): boolean {
  return (
    type === right.type &&
    left.externalId === right.data.externalId &&
    left.segment === right.data.segment &&
    left.reason === right.data.reason
  )
}
