import { EventStoreDBClient } from '@eventstore/db-client'

/** The official client for a URL of either name. The client knows only the scheme `esdb`. */
export function officialClient(url: string): EventStoreDBClient {
  return EventStoreDBClient.connectionString(url.replace(/^kurrentdb/, 'esdb'))
}
