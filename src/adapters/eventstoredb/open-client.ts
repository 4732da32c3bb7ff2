import { StoreClient } from './store-client.js'

/** A client that cannot end the process. */
export function openClient(connectionString: string): StoreClient {
  return StoreClient.open(connectionString)
}
