import { convertToCommandError, type Credentials } from '@eventstore/db-client'
import type { ClientReadableStream } from '@grpc/grpc-js'
import { isOurStream, streamPrefixes } from '../../../application/facts/our-streams.js'
import type { StoreClient } from '../client/store-client.js'
import { withTimeout } from '../client/with-timeout.js'
import { abortable } from './abortable.js'
import { readAll } from './read-all.js'
import { subscriptionRequest, type EventFilter } from './read-request.js'
import { readResponseIn, type LogEvent, type ReadResponse } from './read-response.js'
import { Stopped, type Position } from './subscription-errors.js'

/** A message of a subscription: a wanted event, a checkpoint, or the notice that all stored events were sent. */
export type Incoming = Exclude<ReadResponse, { kind: 'confirmation' | 'stream_missing' | 'other' }>

/**
 * Selects events. The server applies `filter`, which accepts some events too many. `accepts` then
 * selects the wanted events.
 */
export interface Wanted {
  readonly filter: EventFilter
  readonly accepts: (event: LogEvent) => boolean
}

/**
 * Accepts events of any type in the product's streams. The server compares only prefixes of stream
 * names, so `accepts` compares the whole names.
 */
const inStreamsOfOurs: Wanted = {
  filter: { of: 'stream', prefixes: streamPrefixes },
  accepts: ({ stream }) => isOurStream(stream),
}

/** One subscribing call. The reader pulls messages; unread messages stay in the connection's buffer. */
export class IncomingEvents {
  private call: ClientReadableStream<ReadResponse> | undefined
  private isClosed = false
  private failure: { readonly error: unknown } | undefined
  private wake: () => void = () => undefined
  /**
   * An event that the server skips, see `readSkipped`. The reader gets this event before any
   * message of the server.
   */
  private skipped: LogEvent | undefined
  /** The position of the last event that was read. */
  private last = 0

  constructor(
    private readonly client: StoreClient,
    private readonly after: Position | undefined,
    private readonly signal: AbortSignal,
    private readonly credentials: Credentials,
    private readonly wanted = inStreamsOfOurs,
  ) {
    const request = subscriptionRequest(after, wanted.filter)
    client.usable.subscribeCall({ request, decode: readResponseIn, credentials }).then(
      (call) => {
        this.listen(call)
      },
      (error: unknown) => {
        this.fail(error)
      },
    )
    signal.addEventListener('abort', this.onChange)
  }

  /** Resolves when the server has accepted the call. Afterwards the call has no timeout. */
  async opened(timeoutMs: number): Promise<void> {
    await withTimeout(timeoutMs, this.confirmation())
    if (this.after !== undefined) await this.readSkipped(this.after, timeoutMs)
  }

  /**
   * Returns the next message. After the last received message, rejects with the error that ended
   * the call. Rejects with `Stopped` as soon as the signal is aborted.
   */
  async next(): Promise<Incoming> {
    for (;;) {
      const incoming = this.nextHere()
      if (incoming !== undefined) return incoming
      if (this.failure !== undefined) throw this.failure.error
      await this.change()
    }
  }

  /**
   * Returns the next message, or undefined when none has arrived. Throws `Stopped` when the signal is aborted.
   */
  nextHere(): Incoming | undefined {
    for (;;) {
      if (this.signal.aborted) throw new Stopped('stopped')
      const response = this.read()
      if (response === undefined) return undefined
      if (response.kind === 'checkpoint' || response.kind === 'caught_up') return response
      if (response.kind === 'event' && this.isWanted(response.event)) return response
    }
  }

  close(): void {
    this.isClosed = true
    this.fail(new Stopped('closed'))
    this.signal.removeEventListener('abort', this.onChange)
    this.call?.cancel()
  }

  private listen(call: ClientReadableStream<ReadResponse>): void {
    this.call = call
    call.on('readable', this.onChange)
    // The listener is never removed, because a late error without a listener would end the process.
    call.on('error', (error) => {
      this.fail(convertToCommandError(error))
    })
    call.on('end', () => {
      this.fail(new Error('the server ended the subscription'))
    })
    if (this.isClosed) call.cancel()
    this.wake()
  }

  private readonly onChange = (): void => {
    this.wake()
  }

  /** Waits for the server's confirmation, which precedes all other messages. */
  private async confirmation(): Promise<void> {
    while (this.read()?.kind !== 'confirmation') {
      if (this.signal.aborted) throw new Stopped('stopped')
      if (this.failure !== undefined) throw this.failure.error
      await this.change()
    }
  }

  /**
   * Reads the event that the server would skip. A subscription starts after the event at `after`. If a scavenge has
   * removed the event at `after`, the server skips one event: it starts after the next remaining event. So this method
   * reads the next remaining event itself, once the subscription is open. A scavenge may remove that event, too, before
   * it is read. Nothing is lost then, because the event no longer exists.
   */
  private async readSkipped(after: Position, timeoutMs: number): Promise<void> {
    const options = { credentials: this.credentials, timeoutMs }
    const read = readAll(this.client, { from: after, maxCount: 1 }, options)
    const [first] = await abortable(this.signal, read)
    if (first !== undefined && BigInt(first.commit) > after.commit) this.skipped = first
  }

  /**
   * Returns false for an event that was already read, because the server may also send the event
   * that `readSkipped` has read.
   */
  private isWanted(event: LogEvent): boolean {
    if (event.commit <= this.last) return false
    this.last = event.commit
    return this.wanted.accepts(event)
  }

  private read(): ReadResponse | undefined {
    const { skipped: event } = this
    this.skipped = undefined
    if (event !== undefined) return { kind: 'event', event }
    const response: ReadResponse | null | undefined = this.call?.read()
    return response ?? undefined
  }

  private fail(error: unknown): void {
    this.failure ??= { error }
    this.wake()
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve
    })
  }
}
