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

/** The values keep the rules of the domain: a way in checks them first. */
export interface RecordEventRequest extends RequestContext {
  readonly entityExternalId: string
  readonly name: string
  readonly properties: JsonObject
  readonly occurredAt?: Date | undefined
  /** Whether an entity that does not exist is created first, without properties. */
  readonly upsert?: boolean | undefined
  /**
   * Names in `properties` that the way in has added to what was sent. Where this is given, a repeat under
   * the same key need not have the same of them, nor the same time: what is stored stands.
   */
  readonly added?: readonly string[] | undefined
  /** Another name under which the same may have been stored before, with the same key. */
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
 * A key of its own: the key of the event is to be found on the event alone. With one, a creation whose
 * outcome is unknown is settled by the store, and one that is lost to another is readable before the
 * event's key is looked for.
 */
const creationScope: IdempotencyScope<EntityCreated> = {
  command: 'create-for-event',
  read: (stored) => factTable.EntityCreated.read(stored),
  isSame: () => true,
}

/**
 * Records an event about an entity that exists; it creates one only when it is to. A creation without its
 * event is `outcome_unknown`, for not nothing is stored: the same request again records the event once.
 * Throws `entity_not_found`, `entity_removed`, `idempotency_key_reused`, and what `EventStore.append` throws.
 */
export function recordEventUseCase(eventStore: EventStore, clock: Clock, ids: IdGenerator) {
  return async (request: RecordEventRequest): Promise<StoredDecision<EventRecorded>> => {
    const { entityExternalId, name, properties, occurredAt, formerEntity } = request
    const now = clock.now()
    // The id of a creation is before that of its event, as in the log.
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
        // Decided here, for nearly every event is about an entity that exists.
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

/** Once the entity was created for it, a refusal does not mean that nothing is stored. */
async function unlessHalfStored(
  error: unknown,
  isCreated: () => boolean | Promise<boolean>,
): Promise<unknown> {
  if (!isRefused(error, ...refusedForNow) || !(await isCreated())) return error
  const message = `the entity is created, its event is not recorded: ${error.message}`
  return new Refusal('outcome_unknown', message, { cause: error })
}
