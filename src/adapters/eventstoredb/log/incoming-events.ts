import {
  START,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type Credentials,
  type Filter,
} from '@eventstore/db-client'
import { isOurStream, streamPrefixes } from '../../../application/facts/our-streams.js'
import type { StoreClient } from '../client/store-client.js'
import { Stopped, type Position } from './subscription-errors.js'
import { withTimeout } from '../client/with-timeout.js'

/** What a subscription brings, in order. Events are those that are wanted. */
export type Incoming =
  | { readonly kind: 'event'; readonly event: AllStreamRecordedEvent }
  /** Everything of ours up to here has been taken before. */
  | { readonly kind: 'checkpoint'; readonly position: Position }
  /** Everything that was stored when the subscription began has been taken before. */
  | { readonly kind: 'caught_up' }

/**
 * Events kept here while the one before is processed, on each side of the client's transformer. With
 * what the connection holds that takes a burst of some hundreds; beyond it the server drops the call,
 * which costs one call more. A larger buffer would only move that point, at up to 1 MiB an event.
 */
const buffered = 128

/** Which events come: the server is asked for those that the filter names, and some more. */
export interface Wanted {
  readonly filter: (checkpointReached: CheckpointReached) => Filter
  readonly accepts: (event: AllStreamRecordedEvent) => boolean
}

type CheckpointReached = (subscription: unknown, position: Position) => void

/** Those in streams of ours, of any type. The server compares beginnings only. */
const inStreamsOfOurs: Wanted = {
  filter: (checkpointReached) =>
    streamNameFilter({ prefixes: [...streamPrefixes], checkpointReached }),
  accepts: ({ streamId }) => isOurStream(streamId),
}

/** One subscribing call. It is taken from, never pushed: nothing is read ahead of the buffer. */
export class IncomingEvents {
  private readonly stream: AllStreamSubscription
  private taken = 0
  private confirmed = false
  private checkpoint: { readonly position: Position; readonly due: number } | undefined
  private caughtUpDue: number | undefined
  private failure: { readonly error: unknown } | undefined
  private wake: () => void = () => undefined

  constructor(
    client: StoreClient,
    after: Position | undefined,
    private readonly signal: AbortSignal,
    credentials: Credentials,
    private readonly wanted = inStreamsOfOurs,
  ) {
    const filter = wanted.filter((_subscription, position) => {
      this.checkpoint = { position, due: this.arrived() }
      this.wake()
    })
    this.stream = client.call((made) =>
      made.subscribeToAll(
        { fromPosition: after ?? START, filter, requiresLeader: true, credentials },
        { highWaterMark: buffered },
      ),
    )
    this.listen()
  }

  /** Resolves once the server has taken the call, which has no deadline of its own. */
  async opened(timeoutMs: number): Promise<void> {
    await withTimeout(timeoutMs, this.confirmation())
  }

  /**
   * Rejects with what ended the call, after all that had come before was taken; at once with
   * `Stopped` when the signal is given.
   */
  async next(): Promise<Incoming> {
    for (;;) {
      if (this.signal.aborted) throw new Stopped('stopped')
      const incoming = this.dueNotice() ?? this.readEvent() ?? this.dueNotice()
      if (incoming !== undefined) return incoming
      if (this.failure !== undefined) throw this.failure.error
      await this.change()
    }
  }

  close(): void {
    this.fail(new Stopped('closed'))
    this.signal.removeEventListener('abort', this.onChange)
    // It rejects when the call never came about, and waits for one that is still being made.
    this.stream.unsubscribe().catch(() => undefined)
    this.stream.destroy()
  }

  private listen(): void {
    this.stream.on('readable', this.onChange)
    this.stream.on('confirmation', () => {
      this.confirmed = true
      this.wake()
    })
    this.stream.on('caughtUp', () => {
      this.caughtUpDue = this.arrived()
      this.wake()
    })
    // Stays for good: a late error without a listener would end the process.
    this.stream.on('error', (error) => {
      this.fail(error)
    })
    this.stream.on('end', () => {
      this.fail(new Error('the server ended the subscription'))
    })
    this.signal.addEventListener('abort', this.onChange)
  }

  private readonly onChange = (): void => {
    this.wake()
  }

  private async confirmation(): Promise<void> {
    while (!this.confirmed) {
      if (this.signal.aborted) throw new Stopped('stopped')
      if (this.failure !== undefined) throw this.failure.error
      await this.change()
    }
  }

  /** Checkpoints and `caughtUp` overtake the events in the buffer: they are given after those. */
  private dueNotice(): Incoming | undefined {
    if (this.caughtUpDue !== undefined && this.caughtUpDue <= this.taken) {
      this.caughtUpDue = undefined
      return { kind: 'caught_up' }
    }
    if (this.checkpoint === undefined || this.checkpoint.due > this.taken) return undefined
    const { position } = this.checkpoint
    this.checkpoint = undefined
    return { kind: 'checkpoint', position }
  }

  private readEvent(): Incoming | undefined {
    for (;;) {
      const resolved = this.stream.read() as AllStreamResolvedEvent | null
      if (resolved === null) return undefined
      this.taken += 1
      const { event } = resolved
      if (event !== undefined && this.wanted.accepts(event)) return { kind: 'event', event }
    }
  }

  private arrived(): number {
    return this.taken + this.stream.readableLength
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
