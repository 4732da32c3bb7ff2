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
 * Reads single events from `$all` and from streams. Has its own client, because a timeout replaces
 * the client. Replacing a shared client would end a running subscription.
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

  /** Returns the position of the last event in `$all`, of any type. */
  async head(): Promise<Position> {
    const [last] = await this.latest(1)
    return last === undefined ? { commit: 0n, prepare: 0n } : positionOf(last)
  }

  /** Returns the last events in `$all`, newest first. */
  latest(maxCount: number): Promise<readonly LogEvent[]> {
    return this.read({ from: 'end', maxCount })
  }

  /**
   * Returns the event at the position, of any type. Returns undefined for a position after the last
   * event. Throws `CheckpointUnknown` when no event begins at the position.
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

  /**
   * Checks that the log contains the checkpoint. Otherwise throws `CheckpointBeyondHead` or `CheckpointUnknown`.
   */
  async assertHolds(checkpoint: Position): Promise<void> {
    const head = await this.head()
    if (checkpoint.commit > head.commit) throw new CheckpointBeyondHead(checkpoint, head)
    await this.at(checkpoint)
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  /** Returns the events of a stream, starting at revision `from`. */
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
