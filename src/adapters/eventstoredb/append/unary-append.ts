import { jsonEvent, type Credentials, type JSONType } from '@eventstore/db-client'
import { z } from 'zod'
import type { Answer } from '../client/answer.js'
import type { AppendRequest } from './batch-message.js'
import type { StoreClient } from '../client/store-client.js'

/** Bytes read and written as JSON text; the store is never given what it could not settle. */
const jsonObject = z.custom<Record<string, JSONType>>(
  (value) => typeof value === 'object' && value !== null,
)

/** One append in a call of its own. Throws what the client throws. */
export async function unaryAppend(
  client: StoreClient,
  { stream, expected, facts }: AppendRequest,
  credentials: Credentials,
  deadline: number,
): Promise<Answer> {
  const events = facts.map(({ id, type, data, metadata }) =>
    jsonEvent({
      id,
      type,
      data: jsonObject.parse(JSON.parse(data)),
      metadata: jsonObject.parse(JSON.parse(metadata)),
    }),
  )
  // With credentials on the call the client takes its unary path, whatever the server can do.
  const options = { expectedRevision: expected, requiresLeader: true, credentials, deadline }
  const { position, nextExpectedRevision: revision } = await client.call((made) =>
    made.appendToStream(stream, events, options),
  )
  if (position !== undefined) return { kind: 'stored', revision, position: position.commit }
  return { kind: 'unknown', reason: 'acknowledged without a position' }
}
