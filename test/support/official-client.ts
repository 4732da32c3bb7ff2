import { EventStoreDBClient } from '@eventstore/db-client'

/**
 * Creates the official client for a URL of EventStoreDB or KurrentDB. The client knows only the
 * scheme `esdb`.
 */
export function officialClient(url: string): EventStoreDBClient {
  return EventStoreDBClient.connectionString(url.replace(/^kurrentdb/, 'esdb'))
}
