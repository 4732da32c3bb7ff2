import {
  BACKWARDS,
  DeadlineExceededError,
  END,
  FORWARDS,
  UnknownError,
} from '@eventstore/db-client'
import type { ConnectionUrl } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { CheckpointBeyondHead, CheckpointUnknown, type Position } from './subscription-errors.js'
import { abortable } from './abortable.js'
import { TimedOut, withTimeout } from '../client/with-timeout.js'

/**
 * Reads where the whole log ends, and whether it has a checkpoint. It has a client of its own: one that
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
    return (await this.inTime(() => this.first(BACKWARDS, END))) ?? { commit: 0n, prepare: 0n }
  }

  /** Throws `CheckpointBeyondHead` and `CheckpointUnknown`. */
  async assertHolds(checkpoint: Position): Promise<void> {
    const head = await this.head()
    if (checkpoint.commit > head.commit) throw new CheckpointBeyondHead(checkpoint, head)
    try {
      await this.inTime(() => this.first(FORWARDS, checkpoint))
    } catch (error) {
      if (error instanceof UnknownError && error.message.includes('ReadAllResult'))
        throw new CheckpointUnknown(checkpoint)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  private async inTime<T>(ask: () => Promise<T>): Promise<T> {
    const { client } = this
    try {
      return await withTimeout(this.timeoutMs, abortable(this.signal, ask()))
    } catch (error) {
      const isLate = error instanceof TimedOut || error instanceof DeadlineExceededError
      if (isLate && client === this.client) {
        this.client = new StoreClient(this.url)
        void client.close()
      }
      throw error
    }
  }

  private async first(
    direction: typeof BACKWARDS | typeof FORWARDS,
    fromPosition: typeof END | Position,
  ): Promise<Position | undefined> {
    const events = this.client.call((client) =>
      client.readAll({
        direction,
        fromPosition,
        maxCount: 1,
        requiresLeader: true,
        credentials: this.url.credentials,
        deadline: this.timeoutMs,
      }),
    )
    let found: Position | undefined
    // To its end: a call that is left early stays open.
    for await (const { event } of events) found = event?.position
    return found
  }
}
