import { entityStream } from '../../domain/entity.js'
import { voidEvent, type EventVoided, type RecordedEvent } from '../../domain/event.js'
import { factTable } from '../facts/fact-table.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import { isRefused, Refusal, type RefusalCode } from '../ports/refusal.js'
import {
  appendDecision,
  entityError,
  findStored,
  type IdempotencyScope,
  type RequestContext,
  type StoredDecision,
} from './append-decision.js'
import type { EventStore } from './ports/event-store.js'

/** A request whose reason the caller has validated. */
export interface VoidEventRequest extends RequestContext {
  readonly externalId: string
  /** Any text. The request is refused when the entity has no event with this id. */
  readonly eventId: string
  readonly reason: string | undefined
}

/**
 * Finds an event of an entity by its id. Resolves with undefined only if the store had no such event at the
 * call. Rejects with `entity_not_found`, `too_many_facts` and the errors of a query.
 */
export type FindEvent = (externalId: string, eventId: string) => Promise<RecordedEvent | undefined>

/** A function that finds events, or the reason why this process voids no events. */
export type EventFinder = FindEvent | Extract<RefusalCode, 'voids_off' | 'no_read_model'>

interface VoidingParts {
  readonly store: EventStore
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly finder: EventFinder
}

/** An event keeps its first void. Any stored void of the event therefore answers a request, whatever its reason is. */
const scope: IdempotencyScope<EventVoided> = {
  command: 'void-event',
  read: (stored) => factTable.EventVoided.read(stored),
  isSame: () => true,
}

/**
 * Returns the use case that voids an event. The id of the event is the idempotency key, so an event is voided once,
 * and a repeated request gets the first void. Throws `event_not_found`, `entity_not_found`, `entity_erased`,
 * `voids_off`, `no_read_model`, `too_many_facts`, `read_model_behind`, and the errors of `EventStore.append`.
 */
export function voidEventUseCase({ store, clock, ids, finder }: VoidingParts) {
  return async (request: VoidEventRequest): Promise<StoredDecision<EventVoided>> => {
    const { externalId, eventId, reason, requestId, cameAt } = request
    if (typeof finder === 'string') throw new Refusal(finder)
    const context = { requestId, idempotencyKey: eventId, cameAt }
    const sought = { stream: entityStream(externalId) }
    try {
      const stored = await findStored(store, sought, context, scope)
      if (stored !== undefined) return stored
      const event = await eventOrRefusal(finder(externalId, eventId))
      if (event instanceof Refusal) {
        // The entity may have been erased since the first lookup. Only the store distinguishes an erased entity from
        // a missing one. Without `cameAt`, the store does not rely on the first lookup.
        const now = { ...context, cameAt: undefined }
        const storedSince = await findStored(store, sought, now, scope)
        if (storedSince === undefined) throw event
        return storedSince
      }
      const factId = ids.next()
      const decision = voidEvent({ factId, externalId, event, reason, now: clock.now() })
      return await appendDecision(store, decision, context, scope)
    } catch (error) {
      throw entityError(error)
    }
  }
}

/** Resolves with the event, or with the refusal when there is no such event. */
async function eventOrRefusal(found: ReturnType<FindEvent>): Promise<RecordedEvent | Refusal> {
  try {
    return (await found) ?? new Refusal('event_not_found')
  } catch (error) {
    if (isRefused(error, 'entity_not_found')) return error
    throw error
  }
}
