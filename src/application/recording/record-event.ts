import { isSameEvent, recordEvent, type EventRecorded } from '../../domain/event.js'
import type { JsonObject } from '../../domain/json.js'
import {
  appendDecision,
  type IdempotencyScope,
  type RequestContext,
  type StoredDecision,
} from './append-decision.js'
import { entityError } from './entity-error.js'
import { factTable } from '../facts/fact-table.js'
import type { Clock } from '../ports/clock.js'
import type { EventStore } from './ports/event-store.js'
import type { IdGenerator } from '../ports/id-generator.js'

/**
 * The values keep the rules of `nameViolations`, `propertyViolations` and `occurredAtViolations`: a way
 * in checks them first.
 */
export interface RecordEventRequest extends RequestContext {
  readonly entityExternalId: string
  readonly name: string
  readonly properties: JsonObject
  /** When it happened, if that is said. */
  readonly occurredAt?: Date | undefined
}

/**
 * Records an event about an entity that exists; it never creates one.
 * Throws `EntityNotFound`, `IdempotencyKeyReused`, and what `EventStore.append` throws.
 */
export type RecordEventUseCase = (
  request: RecordEventRequest,
) => Promise<StoredDecision<EventRecorded>>

const scope: IdempotencyScope<EventRecorded> = {
  command: 'record-event',
  read: (stored) => factTable.EventRecorded.read(stored),
  isSame: isSameEvent,
}

export function recordEventUseCase(
  eventStore: EventStore,
  clock: Clock,
  ids: IdGenerator,
): RecordEventUseCase {
  return async (request) => {
    const { entityExternalId, name, properties, occurredAt } = request
    const decision = recordEvent({
      factId: ids.next(),
      entityExternalId,
      name,
      properties,
      occurredAt,
      now: clock.now(),
    })
    try {
      return await appendDecision(eventStore, decision, request, scope)
    } catch (error) {
      throw entityError(error)
    }
  }
}
