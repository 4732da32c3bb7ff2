import type { LogPage } from '../../../application/facts/ports/fact-log.js'
import type { ConnectionUrl } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { abortable } from './abortable.js'
import { IncomingEvents, type Incoming } from './incoming-events.js'
import { loggedFactOf } from './logged-fact.js'
import { PageQueue, type QueueLimits } from './page-queue.js'
import { readAll } from './read-all.js'
import { positionAt } from './read-response.js'
import { Stopped } from './subscription-errors.js'

/**
 * The limits of the buffer. The server drops a reader that lags by 32 events, so this module reads
 * events immediately and buffers them. The connection buffers another 4 MiB. Larger limits make a
 * rebuild use measurably more CPU, because the garbage collector copies the buffered facts
 * repeatedly.
 */
const defaultLimits: QueueLimits = {
  full: { facts: 2_000, characters: 16_777_216 },
  page: { facts: 1_000, characters: 4_194_304 },
}

export interface PagesOptions {
  readonly url: ConnectionUrl
  /** The timeout of each call, in milliseconds. */
  readonly timeoutMs: number
  /** The limits of the buffer. Tests set smaller ones. */
  readonly limits?: QueueLimits
}

/**
 * Yields pages of the facts after a position, from one subscribing call. After the last received
 * fact, rejects with the error that ended the call. Rejects immediately when the signal is aborted.
 */
export async function* subscribedPages(
  options: PagesOptions,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogPage, never> {
  signal.throwIfAborted()
  // Makes both calls on one node, because another node might lag behind the end of the log that the
  // first call read.
  const client = new StoreClient(options.url)
  const queue = new PageQueue(after, options.limits ?? defaultLimits)
  let incoming: IncomingEvents | undefined
  try {
    const end = await abortable(signal, endOf(client, options))
    const start = after === 0 ? undefined : positionAt(after)
    incoming = new IncomingEvents(client, start, signal, options.url.credentials)
    await incoming.opened(options.timeoutMs)
    void drain(incoming, queue, end)
    for (;;) {
      yield await queue.next()
      signal.throwIfAborted()
    }
  } finally {
    incoming?.close()
    queue.fail(new Stopped('left'))
    void client.close()
  }
}

async function endOf(client: StoreClient, { url, timeoutMs }: PagesOptions): Promise<number> {
  const options = { credentials: url.credentials, timeoutMs }
  const [last] = await readAll(client, { from: 'end', maxCount: 1 }, options)
  return last?.commit ?? 0
}

/**
 * Reads events into the queue as fast as the server sends them, until the call ends. Waits only
 * while the queue is full.
 */
async function drain(incoming: IncomingEvents, queue: PageQueue, end: number): Promise<void> {
  try {
    for (;;) {
      if (queue.isFull) await queue.room()
      take(incoming.nextHere() ?? (await incoming.next()), queue, end)
    }
  } catch (error) {
    queue.fail(error)
  }
}

/** Adds a message to the queue. `end` is the end of the log before the subscription began. */
function take(incoming: Incoming, queue: PageQueue, end: number): void {
  switch (incoming.kind) {
    case 'event': {
      const fact = loggedFactOf(incoming.event)
      if (fact === undefined) queue.rise(incoming.event.commit)
      else queue.push(fact)
      return
    }
    case 'checkpoint':
      queue.rise(Number(incoming.position.commit))
      return
    case 'caught_up':
      queue.rise(end)
  }
}
