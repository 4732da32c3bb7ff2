import {
  FORWARDS,
  START,
  StreamNotFoundError,
  type EventStoreDBClient,
} from '@eventstore/db-client'
import type { StoredFact } from '../../src/application/facts/stored-fact.js'
import { officialClient } from './official-client.js'

/** Reads the facts of a stream with a separate client, as another program could. */
export async function eventStoreDbFacts(
  url: string,
  stream: string,
): Promise<readonly StoredFact[]> {
  const client = officialClient(url)
  try {
    return await factsRead(client, stream)
  } finally {
    await client.dispose()
  }
}

/** Reads the facts of a stream with the given client. Returns an empty list for a missing stream. */
export async function factsRead(
  client: EventStoreDBClient,
  stream: string,
): Promise<readonly StoredFact[]> {
  const facts: StoredFact[] = []
  try {
    const events = client.readStream(stream, { direction: FORWARDS, fromRevision: START })
    for await (const { event } of events) {
      if (event === undefined) continue
      const { id, type, data, metadata } = event
      facts.push({ id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) })
    }
    return facts
  } catch (error) {
    if (error instanceof StreamNotFoundError) return []
    throw error
  }
}
