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
 * Where the whole log ends, and whether a checkpoint is one of its places. It has a client of its own
 * and asks one thing at a time: a client that loses two calls at once while it looks for a leader can
 * reject a promise that nobody holds.
 */
export class AllReader {
  private client: StoreClient
  private turn: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly url: ConnectionUrl,
    private readonly patienceMs: number,
    private readonly signal: AbortSignal,
  ) {
    this.client = StoreClient.open(url.forClient)
  }

  /** The place of the last event of any kind. */
  async head(): Promise<Position> {
    return (await this.inTurn(() => this.first(BACKWARDS, END))) ?? { commit: 0n, prepare: 0n }
  }

  /** Throws `CheckpointBeyondHead` and `CheckpointUnknown`. */
  async assertHolds(checkpoint: Position): Promise<void> {
    const head = await this.head()
    if (checkpoint.commit > head.commit) throw new CheckpointBeyondHead(checkpoint, head)
    try {
      await this.inTurn(() => this.first(FORWARDS, checkpoint))
    } catch (error) {
      if (error instanceof UnknownError && error.message.includes('ReadAllResult'))
        throw new CheckpointUnknown(checkpoint)
      throw error
    }
  }

  async close(): Promise<void> {
    await this.client.close()
  }

  private inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const asked = this.turn.then(() => this.inTime(ask))
    this.turn = asked.catch(() => undefined)
    return asked
  }

  private async inTime<T>(ask: () => Promise<T>): Promise<T> {
    const { client } = this
    try {
      return await withTimeout(this.patienceMs, abortable(this.signal, ask()))
    } catch (error) {
      if (error instanceof TimedOut || error instanceof DeadlineExceededError) {
        this.client = StoreClient.open(this.url.forClient)
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
        deadline: this.patienceMs,
      }),
    )
    let found: Position | undefined
    // To its end: a call that is left early stays open.
    for await (const { event } of events) found = event?.position
    return found
  }
}
