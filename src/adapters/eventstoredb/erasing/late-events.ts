import type { Credentials } from '@eventstore/db-client'
import { parseJson } from '../../../application/facts/metadata-text.js'
import { metastreamOf } from '../client/metastream.js'
import type { StoreClient } from '../client/store-client.js'
import { IncomingEvents } from '../log/incoming-events.js'
import { positionOf, type LogEvent } from '../log/read-response.js'

interface LookingOptions {
  readonly credentials: Credentials
  /** The timeout of the first response, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Returns the positions of events that were appended to a stream after its `EntityErased` and
 * before its deletion. An append without an expected revision can be stored there. The events
 * belong to the erased entity and are never served. For a stream that was not deleted, includes the
 * events up to the end of the log. Throws `Stopped` and the errors of the client.
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
      if (isOfErased(next.event, erasure)) positions.push(next.event.commit)
    }
  } finally {
    incoming.close()
  }
}

/**
 * Returns whether an event contains data of the erased entity. An `EntityErased` contains none, so
 * it may stay in the log.
 */
function isOfErased({ stream, type }: LogEvent, erasure: LogEvent): boolean {
  return stream === erasure.stream && type !== erasure.type
}

/** Returns whether the event is a tombstone, or metadata that truncates the whole stream. */
function isDeletion({ type, data }: LogEvent): boolean {
  if (type === '$streamDeleted') return true
  const limits = type === '$metadata' ? parseJson(data) : undefined
  const isObject = typeof limits === 'object' && limits !== null
  return isObject && '$tb' in limits && Number(limits.$tb) >= Number.MAX_SAFE_INTEGER
}
