import { EventStoreDBClient } from '@eventstore/db-client'

/**
 * A client that cannot end the process. After a failed call it looks at the connection that it has
 * by then, and nobody waits for that look: where it is a discovery that fails, the failure would be
 * unhandled. Whoever waits for that discovery is told of it, so nothing is lost here.
 */
export function openClient(connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString)
  const handle: unknown = Reflect.get(client, 'handleError')
  if (typeof handle !== 'function') throw new TypeError('not the client that this was written for')
  Reflect.set(client, 'handleError', async (...args: readonly unknown[]) => {
    try {
      const handled: unknown = Reflect.apply(handle, client, args)
      await handled
    } catch {
      return
    }
  })
  return client
}
