import { reasonOf } from '../../../application/ports/log.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { EventStoreDbEventStore, type EventStoreDbOptions } from './eventstoredb-event-store.js'

/**
 * It opens though the server is not there, and warns: writes are refused until it comes. Throws
 * `StoreNotOpened` when no client can be made of the connection string.
 */
export async function openEventStore(
  options: EventStoreDbOptions,
): Promise<EventStoreDbEventStore> {
  const { shown } = options.url
  const store = connect(options)
  await store.check().catch((error: unknown) => {
    options.log.warn({ store: shown, reason: reasonOf(error) }, 'the store does not answer yet')
  })
  return store
}

/** The client reads the file with the CA when it is made. */
function connect(options: EventStoreDbOptions): EventStoreDbEventStore {
  try {
    return new EventStoreDbEventStore(options)
  } catch (error) {
    const reason = reasonOf(error)
    throw new StoreNotOpened(`${options.url.shown} cannot be used: ${reason}`, { cause: error })
  }
}
