import { EventStoreDBClient } from '@eventstore/db-client'
import { afterEach } from '@jest/globals'
import {
  parseConnectionUrl,
  type ConnectionUrl,
} from '../../../src/adapters/eventstoredb/client/connection-url.js'
import { EventStoreDbEventStore } from '../../../src/adapters/eventstoredb/append/eventstoredb-event-store.js'
import {
  EventStoreDouble,
  type DoubleOptions,
} from '../../support/eventstoredb/event-store-double.js'
import { silentLog } from '../../support/silent-log.js'

/** A timeout that no answer of a double exceeds, also on a slow machine. */
export const longTimeoutMs = 20_000

export function urlOf(text: string): ConnectionUrl {
  const url = parseConnectionUrl(text)
  if (url === undefined) throw new TypeError('not a connection string')
  return url
}

/** Opens a store. The caller must close it. */
export function openStoreAt(
  url: string,
  timeoutMs = longTimeoutMs,
  erases = false,
): EventStoreDbEventStore {
  return new EventStoreDbEventStore({ url: urlOf(url), timeoutMs, log: silentLog, erases })
}

/** Returns a connection string with several hosts, so that the client asks them for the leader. */
export function clusterUrl(...doubles: readonly { readonly port: number }[]): string {
  const hosts = doubles.map(({ port }) => `127.0.0.1:${String(port)}`)
  return `esdb://${hosts.join(',')}?tls=false&nodePreference=leader`
}

/** Makes every member report `leader` as the leader. */
export function lead(leader: EventStoreDouble, ...members: readonly EventStoreDouble[]): void {
  for (const double of members) {
    double.reportMembers(
      members.map((member) => ({
        address: '127.0.0.1',
        port: member.port,
        state: member === leader ? 'leader' : 'follower',
        isAlive: true,
      })),
    )
  }
}

/** Starts doubles and opens stores. Closes all of them after each test. */
export function bench() {
  const doubles: EventStoreDouble[] = []
  const stores: EventStoreDbEventStore[] = []
  afterEach(async () => {
    for (const double of doubles) double.faults.clear()
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await Promise.all(doubles.splice(0).map((double) => double.close()))
  })
  return {
    start: async (options: DoubleOptions = {}): Promise<EventStoreDouble> => {
      const double = await EventStoreDouble.start(options)
      doubles.push(double)
      return double
    },
    open: (url: string, timeoutMs = longTimeoutMs, erases = false): EventStoreDbEventStore => {
      const store = openStoreAt(url, timeoutMs, erases)
      stores.push(store)
      return store
    },
  }
}

/** Returns a port on which nothing listens. */
export async function closedPort(): Promise<{ readonly port: number }> {
  const double = await EventStoreDouble.start()
  await double.close()
  return { port: double.port }
}

/** Runs `work` with a separate client, to change the store as another program. */
export async function asAnother<T>(
  double: EventStoreDouble,
  work: (client: EventStoreDBClient) => Promise<T>,
): Promise<T> {
  const client = EventStoreDBClient.connectionString(double.connectionString)
  try {
    return await work(client)
  } finally {
    await client.dispose()
  }
}

/** Returns the ids of a stream's committed facts, oldest first. */
export function idsIn(double: EventStoreDouble, stream: string): readonly string[] {
  return double.records(stream).map(({ id }) => id)
}
