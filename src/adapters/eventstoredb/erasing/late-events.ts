import type { Credentials } from '@eventstore/db-client'
import { parseJson } from '../../../application/facts/metadata.js'
import { metastreamOf } from '../client/metastream.js'
import type { StoreClient } from '../client/store-client.js'
import { IncomingEvents } from '../log/incoming-events.js'
import { positionOf, type LogEvent } from '../log/read-response.js'

interface LookingOptions {
  readonly credentials: Credentials
  /** How long the server may take until it sends, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * The positions of what came into a stream behind an `EntityErased` of it, until it was deleted: by appends
 * that expected no revision. Nobody reads them, and they are hers. Where there is no deletion, of all up to the
 * end of the log. Throws what the client throws, and `Stopped`.
 */
export async function latePositions(
  client: StoreClient,
  erasure: LogEvent,
  { credentials, timeoutMs }: LookingOptions,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const streams = [erasure.stream, metastreamOf(erasure.stream)]
  const wanted = {
    filter: { of: 'stream', prefixes: streams },
    accepts: ({ stream }: LogEvent) => streams.includes(stream),
  } as const
  const incoming = new IncomingEvents(client, positionOf(erasure), signal, credentials, wanted)
  const positions: number[] = []
  try {
    await incoming.opened(timeoutMs)
    for (;;) {
      const next = await incoming.next()
      if (next.kind === 'caught_up') return positions
      if (next.kind !== 'event') continue
      if (isDeletion(next.event)) return positions
      if (isHers(next.event, erasure)) positions.push(next.event.commit)
    }
  } finally {
    incoming.close()
  }
}

/** Another `EntityErased` has nothing of her, and the last one stays where the stream may begin anew. */
function isHers({ stream, type }: LogEvent, erasure: LogEvent): boolean {
  return stream === erasure.stream && type !== erasure.type
}

/** A tombstone; or metadata by which nothing is left of the stream. */
function isDeletion({ type, data }: LogEvent): boolean {
  if (type === '$streamDeleted') return true
  const limits = type === '$metadata' ? parseJson(data) : undefined
  const isObject = typeof limits === 'object' && limits !== null
  return isObject && '$tb' in limits && Number(limits.$tb) >= Number.MAX_SAFE_INTEGER
}
