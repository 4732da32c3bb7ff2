import {
  parseConnectionUrl,
  type ConnectionUrl,
} from '../adapters/eventstoredb/client/connection-url.js'
import type {
  EventStoreDbOptions,
  FindKey,
} from '../adapters/eventstoredb/append/eventstoredb-event-store.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import { StoreNotOpened } from '../application/ports/store-errors.js'
import type { CopyOptions } from '../adapters/eventstoredb/migration/eventstoredb-fact-source.js'
import type { OpenStore, StoreKind } from './store-kind.js'

/**
 * It opens though the server is not there: writes are refused until it comes. The adapter is loaded
 * when it is used: its client takes a third of the time of a start.
 */
export const eventStoreDbStore: StoreKind = {
  form: 'an EventStoreDB connection string (esdb://HOST:PORT?tls=false)',
  accepts: (url) => parseConnectionUrl(url) !== undefined,
  shown: (url) => parseConnectionUrl(url)?.shown ?? '',
  open: async ({ url, timeoutMs, log, readModel }) => {
    const connection = parsed(url)
    const store = await connect(connection, { timeoutMs, log, findKey: findKeyIn(readModel) })
    await store.check().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ store: connection.shown, reason }, 'the store does not answer yet')
    })
    return store
  },
  reads: {
    openLog: async ({ url, timeoutMs }) => {
      const { EventStoreDbFactLog } =
        await import('../adapters/eventstoredb/log/eventstoredb-fact-log.js')
      return new EventStoreDbFactLog({ url: parsed(url), timeoutMs })
    },
    factsFile: () => undefined,
    files: () => [],
  },
  copies: {
    from: async (url) => {
      const { EventStoreDbFactSource } =
        await import('../adapters/eventstoredb/migration/eventstoredb-fact-source.js')
      return EventStoreDbFactSource.open(copyOptions(url))
    },
    to: async (url) => {
      const { EventStoreDbFactTarget } =
        await import('../adapters/eventstoredb/migration/eventstoredb-fact-target.js')
      return EventStoreDbFactTarget.open(copyOptions(url))
    },
  },
}

/** Nobody waits for a copy: it outlasts a restart or a change of leader. */
function copyOptions(url: string): CopyOptions {
  return { url: parsed(url), timeoutMs: 10_000, retryForMs: 60_000 }
}

function parsed(url: string): ConnectionUrl {
  const connection = parseConnectionUrl(url)
  if (connection === undefined) throw new TypeError('not a connection string of EventStoreDB')
  return connection
}

/** How long an append waits for the read model, in milliseconds. */
const maxKeyWaitMs = 100

/** Keys of facts that are too old to be looked for in the store. */
function findKeyIn(readModel: () => ReadModel | undefined): FindKey {
  return async (stream, key) => {
    const found = await readModel()?.ask(
      'keyed',
      { stream, key },
      { waitMs: 0, answerMs: maxKeyWaitMs },
    )
    if (found === undefined) return undefined
    const { value, position: upTo } = found
    if (value === undefined) return { upTo, stored: undefined }
    const { facts, position } = value
    return { upTo, stored: { facts, position: String(position), replayed: true } }
  }
}

/** The client reads the file with the CA when it is made. */
async function connect(
  url: ConnectionUrl,
  options: Omit<EventStoreDbOptions, 'url'>,
): Promise<OpenStore> {
  const { EventStoreDbEventStore } =
    await import('../adapters/eventstoredb/append/eventstoredb-event-store.js')
  try {
    return new EventStoreDbEventStore({ url, ...options })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreNotOpened(`${url.shown} cannot be used: ${reason}`, { cause: error })
  }
}
