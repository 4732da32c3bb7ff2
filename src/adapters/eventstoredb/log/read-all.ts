import { convertToCommandError, type Credentials } from '@eventstore/db-client'
import type { StoreClient } from '../client/store-client.js'
import { rangeRequest, streamRequest, type AllRange, type StreamRange } from './read-request.js'
import { readResponseIn, type LogEvent, type ReadResponse } from './read-response.js'

export interface ReadOptions {
  readonly credentials: Credentials
  /** In milliseconds. The client does not hold to it while it discovers a node. */
  readonly timeoutMs: number
  /** As the node that is asked has them, which may not lead. */
  readonly ofAnyNode?: boolean
}

/**
 * Events of `$all`, or of a stream, of any kind, as the leader has them; with `ofAnyNode` as the node that is
 * asked does. Rejects with errors of the client.
 */
export async function readAll(
  client: StoreClient,
  range: AllRange | StreamRange,
  { timeoutMs, ...options }: ReadOptions,
): Promise<readonly LogEvent[]> {
  const read = {
    request: 'stream' in range ? streamRequest(range) : rangeRequest(range),
    decode: readResponseIn,
    ...options,
  }
  const call = await client.usable.readCall(read, timeoutMs)
  return new Promise((resolve, reject) => {
    const found: LogEvent[] = []
    call.on('data', (response: ReadResponse) => {
      if (response.kind === 'event') found.push(response.event)
    })
    call.on('error', (error: Error) => {
      reject(convertToCommandError(error))
    })
    call.on('end', () => {
      resolve(found)
    })
  })
}
