import { convertToCommandError, type Credentials } from '@eventstore/db-client'
import type { ChannelClient } from '../client/channel-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { rangeRequest, type AllRange, type StreamRange } from './read-request.js'
import { readResponseIn, type LogEvent, type ReadResponse } from './read-response.js'

export interface ReadOptions {
  readonly credentials: Credentials
  /** The timeout in milliseconds, including the discovery of a node. */
  readonly timeoutMs: number
  /** Whether the connected node may answer, even if it is not the leader. */
  readonly ofAnyNode?: boolean
}

/** The part of `StoreClient` that reads need. `StoreClient` calls `readAll`, so an import of it would be circular. */
interface Client {
  readonly usable: Pick<ChannelClient, 'readCall'>
}

/**
 * Reads events of any type from `$all` or from a stream. The leader answers, or with `ofAnyNode` the connected
 * node. Returns an empty list for a missing stream. Rejects with `TimedOut` and errors of the client.
 */
export async function readAll(
  client: Client,
  range: AllRange | StreamRange,
  options: ReadOptions,
): Promise<readonly LogEvent[]> {
  return (await readUnlessMissing(client, range, options)) ?? []
}

/** Reads like `readAll`, but returns undefined for a missing stream. */
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
