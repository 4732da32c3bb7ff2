import { StreamDeletedError, type AppendExpectedRevision } from '@eventstore/db-client'
import { keyIn } from '../../../application/facts/metadata-text.js'
import type { StoredFact } from '../../../application/facts/stored-fact.js'
import { BatchAppender } from './batch-appender.js'
import {
  answerOfError,
  NotSent,
  removalOfError,
  type Answer,
  type Removal,
} from '../client/answer.js'
import type { ConnectionUrl } from '../client/connection-url.js'
import { StoreClient } from '../client/store-client.js'
import { readAll, readUnlessMissing } from '../log/read-all.js'
import { positionAt, type LogEvent } from '../log/read-response.js'
import { isTimeout, withTimeout } from '../client/with-timeout.js'

/** A fact with its revision and position in the store. */
export interface RecordedFact {
  readonly fact: StoredFact
  readonly revision: bigint
  readonly position: bigint
  /** The hash of the fact's idempotency key. Undefined when the fact was appended without one. */
  readonly key: string | undefined
}

/** A range of a stream: backwards from the last fact, or forwards from a revision. */
export interface ReadRange {
  readonly from: bigint | 'start' | 'end'
  readonly maxCount: number
}

/**
 * The time without any answer after which a new client replaces the current client, in
 * milliseconds.
 */
const maxUnansweredMs = 800

/** A client, and the batch appender that uses it. */
interface Transport {
  readonly client: StoreClient
  readonly appender: BatchAppender
}

/**
 * Appends and reads. Replaces the client when its server does not answer, because a client whose leader hangs does
 * not look for another leader.
 */
export class Connection {
  private transport: Transport
  /**
   * The time at which the oldest unanswered call started, by `performance.now`. Each answer to any
   * call resets it to undefined.
   */
  private unansweredSince: number | undefined
  private readonly busy = new Map<Transport, number>()

  constructor(private readonly url: ConnectionUrl) {
    this.transport = this.openTransport(false)
  }

  /** Makes one attempt to append, and returns its outcome within the timeout. Never throws. */
  async append(
    stream: string,
    expected: AppendExpectedRevision,
    facts: readonly StoredFact[],
    milliseconds: number,
  ): Promise<Answer> {
    const request = { stream, expected, facts }
    try {
      return await this.over(({ appender }) => appender.append(request, milliseconds))
    } catch (error) {
      return answerOfError(error)
    }
  }

  /**
   * Reads facts of a stream from the leader. Returns undefined for a missing or deleted stream. Throws errors of
   * the client and `TimedOut`.
   */
  async read(
    stream: string,
    range: ReadRange,
    milliseconds: number,
  ): Promise<readonly RecordedFact[] | undefined> {
    try {
      return await this.readUnlessRemoved(stream, range, milliseconds)
    } catch (error) {
      if (error instanceof StreamDeletedError) return undefined
      throw error
    }
  }

  /** Reads like `read`, but throws `StreamDeletedError` for a tombstoned stream. */
  async readUnlessRemoved(
    stream: string,
    { from, maxCount }: ReadRange,
    milliseconds: number,
  ): Promise<readonly RecordedFact[] | undefined> {
    const options = { credentials: this.url.credentials, timeoutMs: milliseconds }
    const range = { stream, from: from === 'start' ? 0 : from, maxCount }
    const events = await this.over(({ client }) => readUnlessMissing(client, range, options))
    return events?.map(recordedFact)
  }

  /**
   * Deletes a stream if its last event has the given revision. With the revision `any`, deletes the
   * stream at every revision. `forGood` sets a tombstone; without `forGood`, an append may start
   * the stream again. Never throws.
   */
  async remove(
    stream: string,
    { revision, forGood }: { readonly revision: bigint | 'any'; readonly forGood: boolean },
    milliseconds: number,
  ): Promise<Removal> {
    const { credentials } = this.url
    const options = {
      expectedRevision: revision,
      requiresLeader: true,
      credentials,
      deadline: milliseconds,
    }
    const send = ({ client }: Transport) =>
      client.call((made) =>
        forGood ? made.tombstoneStream(stream, options) : made.deleteStream(stream, options),
      )
    try {
      await this.over((transport) => withTimeout(milliseconds, send(transport)))
      return { kind: 'removed' }
    } catch (error) {
      return removalOfError(error)
    }
  }

  /**
   * Returns the first event of `$all` at or after the position. With `end`, returns the last event
   * of `$all`. Throws errors of the client and `TimedOut`.
   */
  async eventAt(position: number | 'end', milliseconds: number): Promise<LogEvent | undefined> {
    const options = { credentials: this.url.credentials, timeoutMs: milliseconds }
    const range = { from: position === 'end' ? position : positionAt(position), maxCount: 1 }
    const [found] = await this.over(({ client }) => readAll(client, range, options))
    return found
  }

  /**
   * Returns the date header of a reply, in milliseconds since 1970. Throws errors of the client and `TimedOut`.
   */
  replyDate(milliseconds: number): Promise<number> {
    // Gives the call twice the time, so that `withTimeout` reports a missing answer before the
    // call's own deadline does.
    return this.over(({ client }) =>
      withTimeout(milliseconds, client.usable.replyDate(2 * milliseconds)),
    )
  }

  /**
   * Checks that the server offers `BatchAppend`. Rejects with `ServerTooOld`, `TimedOut` and errors of the client.
   */
  assertBatchAppend(milliseconds: number): Promise<void> {
    return this.over(({ client }) => withTimeout(milliseconds, client.usable.assertBatchAppend()))
  }

  /** Closes the client. Call this method only after all calls have ended. */
  async close(): Promise<void> {
    this.transport.appender.close()
    await this.transport.client.close()
  }

  private async over<T>(call: (transport: Transport) => Promise<T>): Promise<T> {
    this.replaceUnresponsive()
    const { transport } = this
    this.unansweredSince ??= performance.now()
    this.busy.set(transport, (this.busy.get(transport) ?? 0) + 1)
    try {
      const result = await call(transport)
      this.unansweredSince = undefined
      return result
    } catch (error) {
      if (!isLate(error)) this.unansweredSince = undefined
      else if (transport === this.transport) this.replaceUnresponsive()
      throw error
    } finally {
      this.leave(transport)
    }
  }

  /**
   * Replaces the client when no call was answered for `maxUnansweredMs`. Keeps the client when one
   * call is slow and other calls are answered.
   */
  private replaceUnresponsive(): void {
    const { transport, unansweredSince } = this
    if (unansweredSince === undefined || performance.now() - unansweredSince < maxUnansweredMs)
      return
    this.unansweredSince = undefined
    this.transport = this.openTransport(true)
    this.closeIdle(transport)
  }

  private leave(transport: Transport): void {
    this.busy.set(transport, (this.busy.get(transport) ?? 1) - 1)
    this.closeIdle(transport)
  }

  private closeIdle(transport: Transport): void {
    if (transport === this.transport || (this.busy.get(transport) ?? 0) > 0) return
    this.busy.delete(transport)
    transport.appender.close()
    void transport.client.close()
  }

  private openTransport(checkLeaderFirst: boolean): Transport {
    const client = new StoreClient(this.url)
    const open = (checkFirst: boolean) => client.batchCall(this.url.credentials, checkFirst)
    return { client, appender: new BatchAppender(open, checkLeaderFirst) }
  }
}

function isLate(error: unknown): boolean {
  return isTimeout(error instanceof NotSent ? error.cause : error)
}

function recordedFact({ id, type, data, metadata, revision, commit }: LogEvent): RecordedFact {
  return {
    fact: { id, type, data, metadata },
    revision: BigInt(revision),
    position: BigInt(commit),
    key: keyIn(metadata),
  }
}
