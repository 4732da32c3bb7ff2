import { EventStoreDBClient, FORWARDS, START } from '@eventstore/db-client'
import { z } from 'zod'
import { SqliteReader } from './sqlite-reader.js'

/** A fact, read from the store without the service. */
export interface FoundFact {
  readonly stream: string
  readonly id: string
  /** JSON text. */
  readonly data: string
  /** JSON text. */
  readonly metadata: string
}

const rows = z.array(z.tuple([z.number(), z.string(), z.string(), z.string(), z.string()]))
const pageSize = 5_000
const pageAfter = `SELECT facts.position, streams.name, facts.id, facts.data, facts.metadata
  FROM facts JOIN streams ON streams.id = facts.stream_id
  WHERE facts.position > ? AND streams.name GLOB 'entity-*' ORDER BY facts.position LIMIT ${String(pageSize)}`

/** Yields the facts of all entities in a SQLite file in position order, over a separate connection. */
export async function* factsInSqlite(path: string): AsyncIterable<FoundFact> {
  const reader = new SqliteReader(path)
  try {
    for (let last = -1; ;) {
      const found = rows.parse(await Promise.resolve(reader.rows(pageAfter, last)))
      for (const [position, stream, id, data, metadata] of found) {
        last = position
        yield { stream, id, data, metadata }
      }
      if (found.length < pageSize) return
    }
  } finally {
    reader.close()
  }
}

/** Yields the facts of entities whose external id has this prefix, in position order. */
export async function* factsInEventStoreDb(
  url: string,
  entityPrefix: string,
): AsyncIterable<FoundFact> {
  const client = EventStoreDBClient.connectionString(url)
  try {
    const all = client.readAll({ direction: FORWARDS, fromPosition: START })
    for await (const { event } of all) {
      if (!event?.streamId.startsWith(`entity-${entityPrefix}`)) continue
      const { streamId: stream, id, data, metadata } = event
      yield { stream, id, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }
    }
  } finally {
    await client.dispose()
  }
}
