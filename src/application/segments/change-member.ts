import type { Decision } from '../../domain/facts.js'
import {
  addToSegment,
  handRefusal,
  isSameMemberChange,
  removeFromSegment,
  type ChangeMember,
} from '../../domain/segments/hand-members.js'
import type {
  EntityAddedToSegment,
  EntityRemovedFromSegment,
  HandFact,
} from '../../domain/segments/segment-facts.js'
import { factTable } from '../facts/fact-table.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import {
  appendDecision,
  entityError,
  findStored,
  type IdempotencyScope,
  type RequestContext,
  type StoredDecision,
} from '../recording/append-decision.js'
import { Refusal } from '../ports/refusal.js'
import type { DefinitionLog } from './definition-log.js'
import type { EventStore } from '../recording/ports/event-store.js'

/** A membership change by hand. The caller has validated the values by the rules of the domain. */
export interface ChangeMemberRequest extends RequestContext {
  readonly segment: string
  readonly externalId: string
  readonly reason: string | undefined
}

interface MemberParts {
  readonly store: EventStore
  readonly segments: Pick<DefinitionLog, 'read'>
  readonly clock: Clock
  readonly ids: IdGenerator
}

export function addToSegmentUseCase(parts: MemberParts) {
  return changeMember<EntityAddedToSegment>(parts, addToSegment, {
    command: 'add-to-segment',
    read: (stored) => factTable.EntityAddedToSegment.read(stored),
    isSame: isSameMemberChange,
  })
}

export function removeFromSegmentUseCase(parts: MemberParts) {
  return changeMember<EntityRemovedFromSegment>(parts, removeFromSegment, {
    command: 'remove-from-segment',
    read: (stored) => factTable.EntityRemovedFromSegment.read(stored),
    isSame: isSameMemberChange,
  })
}

/**
 * Returns a use case that adds an entity to a segment by hand, or removes it from the segment.
 * Stores the fact even if the membership stays the same. A repeated request gets its stored
 * response, even after the segment was retired.
 *
 * Throws a `HandRefusal`, `entity_not_found`, `idempotency_key_reused`, and the errors of
 * `EventStore.append` and `DefinitionLog.read`.
 */
function changeMember<F extends HandFact>(
  { store, segments, clock, ids }: MemberParts,
  decide: (command: ChangeMember) => Decision<F>,
  scope: IdempotencyScope<F>,
) {
  return async (request: ChangeMemberRequest): Promise<StoredDecision<F>> => {
    const { segment, externalId, reason, ...context } = request
    const now = clock.now()
    const decision = decide({ factId: ids.next(), externalId, segment, reason, now })
    try {
      const refusal = handRefusal(await segments.read(), segment)
      if (refusal === undefined) return await appendDecision(store, decision, context, scope)
      const stored = await findStored(store, decision, context, scope)
      if (stored === undefined) throw new Refusal(refusal)
      return stored
    } catch (error) {
      throw entityError(error)
    }
  }
}
