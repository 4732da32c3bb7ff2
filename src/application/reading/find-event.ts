import type { RecordedEvent } from '../../domain/event.js'
import { Refusal, RefusalAt } from '../ports/refusal.js'
import type { ReadModel } from './ports/read-model.js'
import { queryFresh } from './want.js'

/** The longest time that a search for an event waits for the newest facts, in milliseconds. */
const waitMs = 1_000
/** The longest time that a search runs after the wait, in milliseconds. */
const answerMs = 5_000

/**
 * Returns a function that finds an event of an entity by its id. If the read model has applied the event, the
 * function finds it at once. Otherwise the function searches all facts that the store has at the call, or
 * rejects with `read_model_behind`. Also rejects with `entity_not_found` and `too_many_facts`.
 */
export function findEventIn(model: Pick<ReadModel, 'query'>) {
  return async (externalId: string, eventId: string): Promise<RecordedEvent | undefined> => {
    try {
      const query = { externalId, eventId }
      const applied = await model.query('event', query, { waitMs: 0, answerMs })
      if (applied.value?.event !== undefined) return applied.value.event
      const { value } = await queryFresh(model, 'event', query, { waitMs, answerMs })
      if (value === undefined) throw new Refusal('entity_not_found')
      return value.event
    } catch (error) {
      throw withoutPosition(error)
    }
  }
}

/** Returns the refusal without the position of the read model, because the refused request is a write. */
function withoutPosition(error: unknown): unknown {
  return error instanceof RefusalAt
    ? new Refusal(error.code, error.message, { cause: error })
    : error
}
