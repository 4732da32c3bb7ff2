import { convertToCommandError, type Credentials } from '@eventstore/db-client'
import type { ChannelClient } from '../client/channel-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { rangeRequest, type AllRange, type StreamRange } from './read-request.js'
import { readResponseIn, type LogEvent, type ReadResponse } from './read-response.js'

export interface ReadOptions {
  readonly credentials: Credentials
  /** In milliseconds, with the discovery of a node. */
  readonly timeoutMs: number
  /** As the node that is asked has them, which may not lead. */
  readonly ofAnyNode?: boolean
}

/** A `StoreClient`, which reads with this function itself. */
interface Client {
  readonly usable: Pick<ChannelClient, 'readCall'>
}

/**
 * Events of `$all`, or of a stream, of any kind, as the leader has them; with `ofAnyNode` as the node that is
 * asked has them. A stream that is missing has none. Rejects with `TimedOut` and errors of the client.
 */
export async function readAll(
  client: Client,
  range: AllRange | StreamRange,
  options: ReadOptions,
): Promise<readonly LogEvent[]> {
  return (await readUnlessMissing(client, range, options)) ?? []
}

/** The same, and undefined when the stream is missing. */
export function readUnlessMissing(
  client: Client,
  range: AllRange | StreamRange,
  options: ReadOptions,
): Promise<readonly LogEvent[] | undefined> {
  return withTimeout(options.timeoutMs, read(client, range, options))
}

async function read(
  client: Client,
  range: AllRange | StreamRange,
  { timeoutMs, ...options }: ReadOptions,
): Promise<readonly LogEvent[] | undefined> {
  const request = rangeRequest(range)
  const call = await client.usable.readCall(
    { request, decode: readResponseIn, ...options },
    timeoutMs,
  )
  return new Promise((resolve, reject) => {
    const found: LogEvent[] = []
    let isMissing = false
    call.on('data', (response: ReadResponse) => {
      if (response.kind === 'event') found.push(response.event)
      if (response.kind === 'stream_missing') isMissing = true
    })
    call.on('error', (error: Error) => {
      reject(convertToCommandError(error))
    })
    call.on('end', () => {
      resolve(isMissing ? undefined : found)
    })
  })
}
