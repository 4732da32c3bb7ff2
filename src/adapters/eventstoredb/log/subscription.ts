import type { Fact } from '../../../application/facts/fact-table.js'
import { NewerSchemaVersion, UnreadableFact } from '../../../application/facts/unreadable-fact.js'
import type { EntityCreated, EntityPropertiesChanged } from '../../../domain/entity.js'
import type { EventRecorded } from '../../../domain/event.js'
import type {
  EntityAddedToSegment,
  EntityEnteredSegment,
  EntityLeftSegment,
  EntityRemovedFromSegment,
  SegmentBuilt,
  SegmentDefined,
  SegmentRetired,
  TimePassed,
} from '../../../domain/segments/segment-facts.js'
import { parseConnectionUrl, type ConnectionUrl } from '../client/connection-url.js'
import { IncomingEvents } from './incoming-events.js'
import { Processing } from './processing.js'
import { Recovery } from './recovery.js'
import { AllReader } from './all-reader.js'
import { StoreClient } from '../client/store-client.js'
import {
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  Stopped,
  SubscriptionDenied,
  type Position,
} from './subscription-errors.js'
import type { Interruption, Lag, PassedOver, SubscriptionOptions } from './subscription-options.js'
import { TimedOut, withTimeout } from '../client/with-timeout.js'

export type { EntityCreated, EntityPropertiesChanged, EventRecorded, Fact }
export type { EntityAddedToSegment, EntityRemovedFromSegment }
export type { EntityEnteredSegment, EntityLeftSegment }
export type { SegmentBuilt, SegmentDefined, SegmentRetired, TimePassed }
export type { Interruption, Lag, PassedOver, Position }
export type { SubscriptionOptions }
export { CheckpointBeyondHead, CheckpointUnknown, HandlerFailed, NewerSchemaVersion }
export { SubscriptionDenied, UnreadableFact }

/**
 * All facts, one at a time and in the order of the store, after a checkpoint.
 *
 * Whatever breaks the connection (being dropped as "too slow" is normal operation), it goes on after
 * the last fact processed, with pauses of 0.1 to 5 seconds. It keeps nothing itself: for an effect
 * exactly once, store the position with the effect in one transaction, and pass it as `after` again.
 */
export class FactSubscription {
  private readonly url: ConnectionUrl
  private readonly timeoutMs: number
  private readonly log: AllReader
  private client: StoreClient
  private readonly processing: Processing
  private readonly recovery: Recovery
  private started = false

  /** Throws a `TypeError` when `url` is not a connection string. */
  constructor(private readonly options: SubscriptionOptions) {
    const url = parseConnectionUrl(options.url)
    if (url === undefined) throw new TypeError('not a connection string of EventStoreDB')
    this.url = url
    this.timeoutMs = options.timeoutMs ?? 10_000
    this.processing = new Processing(options)
    this.recovery = new Recovery(options, this.processing)
    this.log = new AllReader(url, this.timeoutMs, options.signal)
    this.client = new StoreClient(url)
  }

  /** Everything up to here is processed. */
  get position(): Position | undefined {
    return this.processing.position
  }

  /** How many events of unknown types were passed over. */
  get passedOver(): number {
    return this.processing.passedOver
  }

  /** Asks the server; rejects when it does not answer, and once the signal is given. */
  async lag(): Promise<Lag> {
    const head = await this.log.head()
    const { position } = this.processing
    const bytes = head.commit - (position?.commit ?? 0n)
    return { position, head, bytes: bytes > 0n ? bytes : 0n }
  }

  /**
   * To be called once. Resolves when the signal is given. Rejects with
   * - `CheckpointBeyondHead`, `CheckpointUnknown` — the checkpoint is not of this server's log
   * - `NewerSchemaVersion`, `UnreadableFact` — a fact cannot be read; it was not processed
   * - `HandlerFailed` — `handle` or another function of the caller threw; nothing more is called
   * - `SubscriptionDenied` — the server refuses the user
   *
   * `position` then is still that of the last fact processed.
   */
  async run(): Promise<void> {
    if (this.started) throw new TypeError('a subscription runs once')
    this.started = true
    try {
      for (;;) await this.follow().catch((error: unknown) => this.recovery.after(error))
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    } finally {
      await this.release()
    }
  }

  /** One call, until it breaks. */
  private async follow(): Promise<never> {
    if (this.options.signal.aborted) throw new Stopped('stopped')
    const { position } = this.processing
    if (position !== undefined) await this.log.assertHolds(position)
    const incoming = new IncomingEvents(
      this.client,
      position,
      this.options.signal,
      this.url.credentials,
    )
    try {
      await this.open(incoming)
      for (;;) {
        await this.processing.take(await incoming.next())
        this.recovery.progressed()
      }
    } finally {
      incoming.close()
    }
  }

  private async open(incoming: IncomingEvents): Promise<void> {
    try {
      await incoming.opened(this.timeoutMs)
      this.recovery.opened()
    } catch (error) {
      if (error instanceof TimedOut) this.replaceClient()
      throw error
    }
  }

  private replaceClient(): void {
    const { client } = this
    this.client = new StoreClient(this.url)
    void client.close()
  }

  private async release(): Promise<void> {
    const closed = Promise.all([this.client.close(), this.log.close()])
    // It waits for calls that it has cancelled; nothing is lost when one of them does not end.
    await withTimeout(this.timeoutMs, closed).catch(() => undefined)
  }
}
