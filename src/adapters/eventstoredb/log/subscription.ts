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
 * A leader just elected may show its end a little late: only what it says again and again counts, for
 * two seconds.
 */
const refusalsToBelieve = 5
const refusalPauseMs = 500

/** No other call can mend these. */
const final = [Stopped, HandlerFailed, NewerSchemaVersion, UnreadableFact]

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
  private last: Position | undefined
  private passed = 0
  private started = false
  private readonly backOff = new BackOff(100, 5_000)
  /** How often in a row the server has not had the checkpoint. */
  private refusals = 0
  /** The client of the latest call has closed its connections. */
  private left: Promise<void> | undefined

  /** Throws a `TypeError` when `url` is not a connection string. */
  constructor(private readonly options: SubscriptionOptions) {
    const url = parseConnectionUrl(options.url)
    if (url === undefined) throw new TypeError('not a connection string of EventStoreDB')
    this.url = url
    this.timeoutMs = options.timeoutMs ?? 10_000
    this.last = options.after
    this.log = new AllReader(url, this.timeoutMs, options.signal)
  }

  /** Everything up to here is processed. */
  get position(): Position | undefined {
    return this.last
  }

  /** How many events of unknown types were passed over. */
  get passedOver(): number {
    return this.passed
  }

  /** Waits for the server; rejects when it does not answer, and once the signal is given. */
  async lag(): Promise<Lag> {
    const head = await this.log.head()
    const position = this.last
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
      for (;;) await this.follow().catch((error: unknown) => this.recover(error))
    } catch (error) {
      if (!(error instanceof Stopped)) throw error
    } finally {
      await Promise.all([this.left, this.closed(this.log)])
    }
  }

  /** One call, until it breaks. */
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

  /** Resolves when the next call may be made. Throws what no other call can mend. */
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

  /** Throws `HandlerFailed` and what `factIn` throws; the position then stays. */
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
      // A handler that was given the signal as well may end by throwing: that is the stop.
      if (this.options.signal.aborted) throw new Stopped('stopped', { cause })
      throw new HandlerFailed(`a handler threw: ${reasonOf(cause)}`, { cause })
    }
  }

  /** A client waits for calls that it has cancelled; nothing is lost when one of them does not end. */
  private async closed(client: { close(): Promise<void> }): Promise<void> {
    await withTimeout(this.timeoutMs, client.close()).catch(() => undefined)
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return setTimeout(milliseconds, undefined, { signal })
}
