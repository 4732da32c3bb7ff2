import { createEntity, type EntityCreated } from '../../domain/entity.js'
import { isSameEvent, isSameEventBut, recordEvent, type EventRecorded } from '../../domain/event.js'
import type { JsonObject } from '../../domain/json.js'
import {
  appendDecision,
  entityError,
  findStored,
  findStoredElsewhere,
  type IdempotencyScope,
  type RequestContext,
  type StoredDecision,
} from './append-decision.js'
import { Refusal, isRefused, unlessRefused, refusedForNow } from '../ports/refusal.js'
import { factTable } from '../facts/fact-table.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import type { EventStore } from './ports/event-store.js'

/** The caller has validated the values by the rules of the domain. */
export interface RecordEventRequest extends RequestContext {
  readonly entityExternalId: string
  readonly name: string
  readonly properties: JsonObject
  readonly occurredAt?: Date | undefined
  /** Creates a missing entity first, without properties. */
  readonly upsert?: boolean | undefined
  /**
   * Names in `properties` that the inbound adapter added. When given, a repeat under the same key may differ
   * in these properties and in its time. The response is then the stored fact.
   */
  readonly added?: readonly string[] | undefined
  /** Another external id under which this request may already be stored with the same key. */
  readonly formerEntity?: string | undefined
}

const strictScope: IdempotencyScope<EventRecorded> = {
  command: 'record-event',
  read: (stored) => factTable.EventRecorded.read(stored),
  isSame: isSameEvent,
}

function scopeOf({ added }: RecordEventRequest): IdempotencyScope<EventRecorded> {
  if (added === undefined) return strictScope
  return { ...strictScope, isSame: (stored, asked) => isSameEventBut(added, stored, asked) }
}

/**
 * The creation has a separate key, so that only the event is found under the event's key. With its own key, a
 * creation with unknown outcome can be looked up, and a creation that lost to a concurrent one is readable
 * before the event's key is looked up.
 */
const creationScope: IdempotencyScope<EntityCreated> = {
  command: 'create-for-event',
  read: (stored) => factTable.EntityCreated.read(stored),
  isSame: () => true,
}

/**
 * Records an event about an existing entity. Creates the entity first with `upsert`. If the entity was
 * created but the event was not recorded, throws `outcome_unknown`. A retry then records the event once.
 * Throws `entity_not_found`, `entity_removed`, `idempotency_key_reused`, and the errors of
 * `EventStore.append`.
 */
export function recordEventUseCase(eventStore: EventStore, clock: Clock, ids: IdGenerator) {
  return async (request: RecordEventRequest): Promise<StoredDecision<EventRecorded>> => {
    const { entityExternalId, name, properties, occurredAt, formerEntity } = request
    const now = clock.now()
    // The creation's id sorts before the event's id, as in the log.
    const creationId = request.upsert === true ? ids.next() : undefined
    const about = (entityExternalId: string) =>
      recordEvent({ factId: ids.next(), entityExternalId, name, properties, occurredAt, now })
    const scope = scopeOf(request)
    try {
      if (formerEntity !== undefined) {
        const former = await findStoredElsewhere(eventStore, about(formerEntity), request, scope)
        if (former !== undefined) return former
      }
      const decision = about(entityExternalId)
      const record = () => appendDecision(eventStore, decision, request, scope)
      if (creationId === undefined) return await record()
      try {
        return await record()
      } catch (error) {
        // Built only on this path, because nearly every event is about an existing entity.
        const created = { factId: creationId, externalId: entityExternalId, properties: {}, now }
        const creation = createEntity(created)
        if (!isRefused(error, 'stream_missing')) {
          const found = () => findStored(eventStore, creation, request, creationScope)
          throw await unlessHalfStored(error, async () => (await found()) !== undefined)
        }
        const creating = appendDecision(eventStore, creation, request, creationScope)
        const isNew = (await unlessRefused(creating, 'stream_exists')) !== undefined
        return await record().catch(async (refusal: unknown) => {
          throw await unlessHalfStored(refusal, () => isNew)
        })
      }
    } catch (error) {
      throw entityError(error)
    }
  }
}

/** Turns a temporary refusal into `outcome_unknown` when the entity was already created for this event. */
async function unlessHalfStored(
  error: unknown,
  isCreated: () => boolean | Promise<boolean>,
): Promise<unknown> {
  if (!isRefused(error, ...refusedForNow) || !(await isCreated())) return error
  const message = `the entity is created, its event is not recorded: ${error.message}`
  return new Refusal('outcome_unknown', message, { cause: error })
}
