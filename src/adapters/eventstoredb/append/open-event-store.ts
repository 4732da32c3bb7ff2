import { reasonOf } from '../../../application/ports/log.js'
import { StoreNotOpened } from '../../../application/ports/refusal.js'
import { ServerTooOld } from '../client/answer.js'
import { EventStoreDbEventStore, type EventStoreDbOptions } from './eventstoredb-event-store.js'

/**
 * Opens the store. When the server does not answer, logs a warning; the store then refuses writes
 * until the server answers. Throws `StoreNotOpened` when the connection string is unusable or the
 * server is too old.
 */
export async function openEventStore(
  options: EventStoreDbOptions,
): Promise<EventStoreDbEventStore> {
  const { shown } = options.url
  const store = connect(options)
  try {
    await store.check()
    await store.assertBatchAppend()
  } catch (error) {
    if (error instanceof ServerTooOld) {
      await store.close()
      throw notOpened(shown, error)
    }
    options.log.warn({ store: shown, reason: reasonOf(error) }, 'the store does not answer yet')
  }
  return store
}

/** Creates the store. Throws when the client cannot read the CA file. */
function connect(options: EventStoreDbOptions): EventStoreDbEventStore {
  try {
    return new EventStoreDbEventStore(options)
  } catch (error) {
    throw notOpened(options.url.shown, error)
  }
}

function notOpened(shown: string, cause: unknown): StoreNotOpened {
  return new StoreNotOpened(`${shown} cannot be used: ${reasonOf(cause)}`, { cause })
}
