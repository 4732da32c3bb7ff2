import { createEntity, isSameCreation, type EntityCreated } from '../../domain/entity.js'
import type { JsonObject } from '../../domain/json.js'
import {
  appendDecision,
  entityError,
  type IdempotencyScope,
  type RequestContext,
  type StoredDecision,
} from './append-decision.js'
import { factTable } from '../facts/fact-table.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import type { EventStore } from './ports/event-store.js'

/** A request whose values the caller has validated (`nameViolations`, `propertyViolations`). */
export interface CreateEntityRequest extends RequestContext {
  readonly externalId: string
  readonly properties: JsonObject
  /** The time at which the customer or user came to be. When undefined, the time of recording. */
  readonly occurredAt?: Date | undefined
}

const scope: IdempotencyScope<EntityCreated> = {
  command: 'create-entity',
  read: (stored) => factTable.EntityCreated.read(stored),
  isSame: isSameCreation,
}

/**
 * Creates an entity. Never changes an existing entity. Throws `entity_exists`, `entity_removed`,
 * `idempotency_key_reused`, and the errors of `EventStore.append`.
 */
export function createEntityUseCase(eventStore: EventStore, clock: Clock, ids: IdGenerator) {
  return async (request: CreateEntityRequest): Promise<StoredDecision<EntityCreated>> => {
    const { externalId, properties, occurredAt } = request
    const now = clock.now()
    const decision = createEntity({ factId: ids.next(), externalId, properties, occurredAt, now })
    try {
      return await appendDecision(eventStore, decision, request, scope)
    } catch (error) {
      throw entityError(error)
    }
  }
}
