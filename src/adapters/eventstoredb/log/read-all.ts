import {
  BACKWARDS,
  END,
  FORWARDS,
  type AllStreamRecordedEvent,
  type Credentials,
} from '@eventstore/db-client'
import type { StoreClient } from '../client/store-client.js'
import type { Position } from './subscription-errors.js'

/** Backwards from the end, else forwards from a position, which is included. */
export interface AllRange {
  readonly from: Position | 'end'
  readonly maxCount: number
}

export interface ReadOptions {
  readonly credentials: Credentials
  /** In milliseconds. The client does not hold to it while it discovers a node. */
  readonly timeoutMs: number
}

/** Events of `$all`, of any kind, as the leader has them. */
export async function readAll(
  client: StoreClient,
  { from, maxCount }: AllRange,
  { credentials, timeoutMs }: ReadOptions,
): Promise<readonly AllStreamRecordedEvent[]> {
  const events = client.call((made) =>
    made.readAll({
      direction: from === 'end' ? BACKWARDS : FORWARDS,
      fromPosition: from === 'end' ? END : from,
      maxCount,
      requiresLeader: true,
      credentials,
      deadline: timeoutMs,
    }),
  )
  const found: AllStreamRecordedEvent[] = []
  // To its end: a call that is left early stays open.
  for await (const { event } of events) if (event !== undefined) found.push(event)
  return found
}
