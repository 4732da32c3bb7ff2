import { UnknownError } from '@eventstore/db-client'
import type { ConnectionUrl } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { CheckpointBeyondHead, CheckpointUnknown, type Position } from './subscription-errors.js'
import { abortable } from './abortable.js'
import { isTimeout } from '../client/with-timeout.js'
import { readAll } from './read-all.js'
import type { AllRange, StreamRange } from './read-request.js'
import { positionOf, type LogEvent } from './read-response.js'

/**
 * Reads where the whole log ends, and what it has at a position. It has a client of its own: one that
 * does not answer in time is replaced, which would end a subscription on it.
 */
export class AllReader {
  private client: StoreClient

  constructor(
    private readonly url: ConnectionUrl,
    private readonly timeoutMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.client = new StoreClient(url)
  }

  /** The position of the last event of any kind. */
  async head(): Promise<Position> {
    const [last] = await this.latest(1)
    return last === undefined ? { commit: 0n, prepare: 0n } : positionOf(last)
  }

  /** The last events of any kind, the very last one first. */
  latest(maxCount: number): Promise<readonly LogEvent[]> {
    return this.read({ from: 'end', maxCount })
  }

  /**
   * The event of any kind at the position or, beyond the head, none. Throws `CheckpointUnknown` when
   * no event begins there.
   */
  async at(position: Position): Promise<LogEvent | undefined> {
    try {
      const [found] = await this.read({ from: position, maxCount: 1 })
      return found
    } catch (error) {
      if (error instanceof UnknownError && error.message.includes('ReadAllResult'))
        throw new CheckpointUnknown(position)
      throw error
    }
  }

  /** Throws `CheckpointBeyondHead` and `CheckpointUnknown`. */
  async assertHolds(checkpoint: Position): Promise<void> {
    const head = await this.head()
    if (checkpoint.commit > head.commit) throw new CheckpointBeyondHead(checkpoint, head)
    await this.at(checkpoint)
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  /** Events of a stream from a revision on. */
  stream(stream: string, from: number, maxCount: number): Promise<readonly LogEvent[]> {
    return this.read({ stream, from, maxCount })
  }

  private async read(range: AllRange | StreamRange): Promise<readonly LogEvent[]> {
    const { client, timeoutMs } = this
    const options = { credentials: this.url.credentials, timeoutMs }
    try {
      return await abortable(this.signal, readAll(client, range, options))
    } catch (error) {
      if (isTimeout(error) && client === this.client) {
        this.client = new StoreClient(this.url)
        void client.close()
      }
      throw error
    }
  }
}
