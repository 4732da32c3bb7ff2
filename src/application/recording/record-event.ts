import { createEntity, type EntityCreated } from '../../domain/entity.js'
import { isSameEvent, isSameEventBut, recordEvent, type EventRecorded } from '../../domain/event.js'
import type { JsonObject } from '../../domain/json.js'
import {
  appendDecision,
  entityError,
  findStored,
  type IdempotencyScope,
  type RequestContext,
  type StoredDecision,
} from './append-decision.js'
import { Refusal, isRefused, unlessRefused, refusedForNow } from '../ports/refusal.js'
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
  /** Whether an entity that does not exist is created first, without properties. */
  readonly upsert?: boolean | undefined
  /**
   * Names in `properties` that the way in has added to what was sent. Where this is given, a repeat under
   * the same key need not have the same of them, nor the same time: what is stored stands.
   */
  readonly added?: readonly string[] | undefined
}

/**
 * Records an event about an entity that exists; it creates one only when it is to. A creation without its
 * event is `outcome_unknown`, for not nothing is stored: the same request again records the event once.
 * Throws `entity_not_found`, `entity_removed`, `idempotency_key_reused`, and what `EventStore.append` throws.
 */
export type RecordEventUseCase = (
  request: RecordEventRequest,
) => Promise<StoredDecision<EventRecorded>>

function scopeOf({ added }: RecordEventRequest): IdempotencyScope<EventRecorded> {
  return {
    command: 'record-event',
    read: (stored) => factTable.EventRecorded.read(stored),
    isSame:
      added === undefined ? isSameEvent : (stored, asked) => isSameEventBut(added, stored, asked),
  }
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

export function recordEventUseCase(
  eventStore: EventStore,
  clock: Clock,
  ids: IdGenerator,
): RecordEventUseCase {
  return async (request) => {
    const { entityExternalId: externalId, name, properties, occurredAt, upsert = false } = request
    const { formerEntity } = request
    const now = clock.now()
    const creation = upsert
      ? createEntity({ factId: ids.next(), externalId, properties: {}, now })
      : undefined
    const about = (entityExternalId: string) =>
      recordEvent({ factId: ids.next(), entityExternalId, name, properties, occurredAt, now })
    const decision = about(externalId)
    const scope = scopeOf(request)
    const record = () => appendDecision(eventStore, decision, request, scope)
    try {
      if (formerEntity !== undefined) {
        const former = await findStored(eventStore, about(formerEntity), request, scope)
        if (former !== undefined) return former
      }
      if (creation === undefined) return await record()
      const recorded = await unlessHalfStored(
        unlessRefused(record(), 'stream_missing'),
        async () => (await findStored(eventStore, creation, request, creationScope)) !== undefined,
      )
      if (recorded !== undefined) return recorded
      const created = await unlessRefused(
        appendDecision(eventStore, creation, request, creationScope),
        'stream_exists',
      )
      return await unlessHalfStored(record(), () => created !== undefined)
    } catch (error) {
      throw entityError(error)
    }
  }
}

/**
 * Once the entity is created for the event, by an earlier sending too, a refusal of the event does not
 * mean that nothing is stored.
 */
async function unlessHalfStored<T>(
  recorded: Promise<T>,
  isCreated: () => boolean | Promise<boolean>,
): Promise<T> {
  try {
    return await recorded
  } catch (error) {
    if (!isRefused(error, ...refusedForNow) || !(await isCreated())) throw error
    throw new Refusal(
      'outcome_unknown',
      `the entity is created, its event is not recorded: ${error.message}`,
      {
        cause: error,
      },
    )
  }
}
