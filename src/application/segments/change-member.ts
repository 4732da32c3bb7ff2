import type { Decision } from '../../domain/facts.js'
import {
  addToSegment,
  handRefusal,
  isSameMove,
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

/** The values keep the rules of the domain: a way in checks them first. */
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
  return changing<EntityAddedToSegment>(parts, addToSegment, {
    command: 'add-to-segment',
    read: (stored) => factTable.EntityAddedToSegment.read(stored),
    isSame: isSameMove,
  })
}

export function removeFromSegmentUseCase(parts: MemberParts) {
  return changing<EntityRemovedFromSegment>(parts, removeFromSegment, {
    command: 'remove-from-segment',
    read: (stored) => factTable.EntityRemovedFromSegment.read(stored),
    isSame: isSameMove,
  })
}

/**
 * Puts an entity into a segment by hand, or takes it out, whether it was so before or not. A repeat of
 * what was stored is answered as before, also where the segment is gone.
 * Throws a `HandRefusal`, `entity_not_found`, `idempotency_key_reused`, and what `EventStore.append` and
 * `DefinitionLog.read` throw.
 */
function changing<F extends HandFact>(
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
