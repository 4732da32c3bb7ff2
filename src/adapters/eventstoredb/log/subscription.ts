import { setTimeout } from 'node:timers/promises'
import { AccessDeniedError } from '@eventstore/db-client'
import { NewerSchemaVersion, UnreadableFact } from '../../../application/facts/stored-fact.js'
import { BackOff } from '../../../application/background-loop.js'
import { reasonOf } from '../client/answer.js'
import { parseConnectionUrl, type ConnectionUrl } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { abortable } from './abortable.js'
import { AllReader } from './all-reader.js'
import { factIn } from './fact-in.js'
import { IncomingEvents, type Incoming } from './incoming-events.js'
import { positionOf } from './read-response.js'
import {
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  Stopped,
  SubscriptionDenied,
  type Position,
} from './subscription-errors.js'
import type { Lag, SubscriptionOptions } from './subscription-options.js'

/**
 * The number of consecutive refusals after which a subscription reports that its checkpoint is
 * unknown. The refusals span two seconds, because a newly elected leader may briefly report an old
 * end of the log.
 */
const refusalsToBelieve = 5
const refusalPauseMs = 500

/** Errors that a retry cannot fix. */
const final = [Stopped, HandlerFailed, NewerSchemaVersion, UnreadableFact]

/**
 * Delivers all facts after a checkpoint, one at a time and in position order.
 *
 * The subscription reconnects after any interruption and resumes after the last processed fact,
 * with pauses of 0.1 to 5 seconds. The server drops slow subscriptions in normal operation. The
 * subscription stores nothing. To process each fact exactly once, store the position and the effect
 * of the fact in one transaction, and pass the stored position as `after` at the next start.
 */
export class FactSubscription {
  private readonly url: ConnectionUrl
  private readonly timeoutMs: number
  private readonly log: AllReader
  private last: Position | undefined
  private passed = 0
  private started = false
  private readonly backOff = new BackOff(100, 5_000)
  /** The number of consecutive attempts in which the log did not contain the checkpoint. */
  private refusals = 0
  /** Resolves when the client of the latest call has closed its connections. */
  private left: Promise<void> | undefined

  /** Throws a `TypeError` when `url` is not a connection string of EventStoreDB. */
  constructor(private readonly options: SubscriptionOptions) {
    const url = parseConnectionUrl(options.url)
    if (url === undefined)
      throw new TypeError('url is not a connection string of EventStoreDB or KurrentDB')
    this.url = url
    this.timeoutMs = options.timeoutMs ?? 10_000
    this.last = options.after
    this.log = new AllReader(url, this.timeoutMs, options.signal)
  }

  /** The last processed position. */
  get position(): Position | undefined {
    return this.last
  }

  /** The number of skipped events with unknown types. */
  get passedOver(): number {
    return this.passed
  }

  /**
   * Returns the lag behind the end of the log. Rejects when the server does not answer in time, or
   * when the signal is aborted.
   */
  async lag(): Promise<Lag> {
    const head = await this.log.head()
    const position = this.last
    const bytes = head.commit - (position?.commit ?? 0n)
    return { position, head, bytes: bytes > 0n ? bytes : 0n }
  }

  /**
   * Runs the subscription. Call this method only once. Resolves when the signal is aborted. Rejects with:
   * - `CheckpointBeyondHead` or `CheckpointUnknown`: the checkpoint is not from this server's log.
   * - `NewerSchemaVersion` or `UnreadableFact`: a fact cannot be read, and was not processed.
   * - `HandlerFailed`: `handle` or another function of the caller threw. No function is called again.
   * - `SubscriptionDenied`: the server refuses the user.
   *
   * After a rejection, `position` is still the last processed position.
   */
  async run(): Promise<void> {
    if (this.started) throw new TypeError('a subscription can run only once')
    this.started = true
    try {
      for (;;) await this.follow().catch((error: unknown) => this.recover(error))
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    } finally {
      await Promise.all([this.left, this.closed(this.log)])
    }
  }

  /** Makes one subscribing call and processes its messages until the call breaks. */
  private async follow(): Promise<never> {
    const { signal } = this.options
    if (signal.aborted) throw new Stopped('stopped')
    if (this.last !== undefined) await this.log.assertHolds(this.last)
    const client = new StoreClient(this.url)
    const incoming = new IncomingEvents(client, this.last, signal, this.url.credentials)
    try {
      await incoming.opened(this.timeoutMs)
      this.refusals = 0
      for (;;) {
        await this.process(await incoming.next())
        this.backOff.reset()
      }
    } finally {
      incoming.close()
      this.left = this.closed(client)
    }
  }

  /** Waits until the next call may be made. Throws errors that a retry cannot fix. */
  private async recover(error: unknown): Promise<void> {
    if (error instanceof AccessDeniedError)
      throw new SubscriptionDenied('the server does not let this user read $all', { cause: error })
    const isRefusal = error instanceof CheckpointBeyondHead || error instanceof CheckpointUnknown
    if (isRefusal) this.refusals += 1
    if (this.refusals >= refusalsToBelieve || final.some((kind) => error instanceof kind))
      throw error
    const pauseMs = isRefusal ? refusalPauseMs : this.backOff.take()
    await this.call(() => this.options.interrupted?.({ reason: reasonOf(error), pauseMs }))
    const { signal, wait = pause } = this.options
    await abortable(signal, wait(pauseMs, signal))
  }

  /**
   * Processes one message. Throws `HandlerFailed` and the errors of `factIn`. After an error, the position is
   * unchanged.
   */
  private async process(incoming: Incoming): Promise<void> {
    switch (incoming.kind) {
      case 'event': {
        const { id, type, stream } = incoming.event
        const position = positionOf(incoming.event)
        const fact = factIn(incoming.event)
        if (fact === undefined) {
          await this.call(() => this.options.passedOver?.({ id, type, stream, position }))
          this.passed += 1
        } else {
          await this.call(() => this.options.handle(fact, position))
        }
        this.last = position
        return
      }
      case 'checkpoint': {
        const { position } = incoming
        if (this.last !== undefined && position.commit <= this.last.commit) return
        await this.call(() => this.options.reached?.(position))
        this.last = position
        return
      }
      case 'caught_up':
        await this.call(() => this.options.caughtUp?.())
    }
  }

  private async call(work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (cause) {
      // Treats an error after an abort as a stop and not as a failure. A handler may share the
      // signal and throw when the signal is aborted.
      if (this.options.signal.aborted) throw new Stopped('stopped', { cause })
      throw new HandlerFailed(`a handler threw: ${reasonOf(cause)}`, { cause })
    }
  }

  /**
   * Closes the client and waits for the cancelled calls, but not longer than the timeout. No fact
   * is lost when a call never ends.
   */
  private async closed(client: { close(): Promise<void> }): Promise<void> {
    await withTimeout(this.timeoutMs, client.close()).catch(() => undefined)
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal })
}
