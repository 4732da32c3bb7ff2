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
 * The server drops a reader that is 32 events behind: they are taken at once and buffered here, and 4 MiB
 * more in the connection. Few facts, for what lives here while a page is applied is copied by the
 * collector again and again: with 10,000 and pages of 5,000 a rebuild took 8 % more CPU.
 */
const defaultLimits: QueueLimits = {
  full: { facts: 2_000, characters: 16_777_216 },
  page: { facts: 1_000, characters: 4_194_304 },
}

export interface PagesOptions {
  readonly url: ConnectionUrl
  /** How long each call may take until it is answered, in milliseconds. */
  readonly timeoutMs: number
  /** Smaller ones are for tests. */
  readonly limits?: QueueLimits
}

/**
 * The facts after a position, of one subscribing call. It rejects with what ended the call, after all
 * that had come before was taken; at once when the signal is given.
 */
export async function* subscribedPages(
  options: PagesOptions,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogPage, never> {
  signal.throwIfAborted()
  // Both calls go to one node: another one might not have come as far as the end that is read first.
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

/** Takes what comes, at the server's pace and not at the reader's, until the call ends. */
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

/** `end`: where the log ended before the call was made. */
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
