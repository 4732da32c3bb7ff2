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

/** A request whose values the caller has validated by the rules of the domain. */
export interface RecordEventRequest extends RequestContext {
  readonly entityExternalId: string
  readonly name: string
  readonly properties: JsonObject
  readonly occurredAt?: Date | undefined
  /** Whether a missing entity is created, without properties, before the event is recorded. */
  readonly upsert?: boolean | undefined
  /**
   * The names of the properties that the inbound adapter added. When present, a repeated request with the same
   * idempotency key may have other values for these properties, and another time. Its response is then the
   * stored fact.
   */
  readonly added?: readonly string[] | undefined
  /** Another external id. An earlier attempt of this request may be stored under it, with the same idempotency key. */
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
 * The idempotency scope of an `EntityCreated` that is stored because an event needs its entity. The creation
 * has the event's own time. It has its own key, so that a lookup of the event's key finds only the event. If
 * the outcome of the creation is unknown, a retry looks up the creation's key.
 */
const creationScope: IdempotencyScope<EntityCreated> = {
  command: 'create-for-event',
  read: (stored) => factTable.EntityCreated.read(stored),
  isSame: () => true,
}

/**
 * Returns the use case that records an event about an existing entity. With `upsert`, it creates a
 * missing entity before the event. If the entity was created but the event was not recorded, it
 * throws `outcome_unknown`, and a retry records the event once. Throws `entity_not_found`,
 * `entity_removed`, `idempotency_key_reused`, and the errors of `EventStore.append`.
 */
export function recordEventUseCase(eventStore: EventStore, clock: Clock, ids: IdGenerator) {
  return async (request: RecordEventRequest): Promise<StoredDecision<EventRecorded>> => {
    const { entityExternalId, name, properties, occurredAt, formerEntity } = request
    const now = clock.now()
    // Generates the id of the creation before the event's id, so that the ids sort in the order of
    // the log.
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
        // Builds the creation only after the refusal: nearly every event is about an existing entity.
        const externalId = entityExternalId
        const created = { factId: creationId, externalId, properties: {}, occurredAt, now }
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

/**
 * Returns the error of an event that was not recorded. A temporary refusal becomes `outcome_unknown` if the
 * entity was already created for this event.
 */
async function unlessHalfStored(
  error: unknown,
  isCreated: () => boolean | Promise<boolean>,
): Promise<unknown> {
  if (!isRefused(error, ...refusedForNow) || !(await isCreated())) return error
  const message = `the entity is created, its event is not recorded: ${error.message}`
  return new Refusal('outcome_unknown', message, { cause: error })
}
