import { convertToCommandError } from '@eventstore/db-client'
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import {
  answerOfError,
  isOfOpening,
  isUnavailable,
  reasonOf,
  type Answer,
} from '../client/answer.js'
import { answerIn, correlationIn } from './batch-message.js'

/** The methods of a gRPC call that this module uses. */
export interface DuplexCall {
  /** Returns false when the caller must wait for `drain`. */
  write(message: BatchAppendReq): boolean
  cancel(): void
  on(event: 'data', listener: (response: BatchAppendResp) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'drain' | 'end' | 'close', listener: () => void): unknown
}

export interface BatchCall {
  readonly call: DuplexCall
  /** Makes the client discover another node for its next call. */
  leaveNode(): void
}

/** An append that waits for its answer. */
export interface Awaiting {
  readonly id: string
  readonly message: BatchAppendReq
  readonly settle: (answer: Answer) => void
}

interface Owner {
  /** Called when the call accepts appends again after `write` returned false. */
  drained(): void
  /**
   * Called when the owner of this stream must not send further appends on it. The server may still
   * answer sent appends.
   */
  retired(): void
  /**
   * Called when the call has ended and all its appends have outcomes. `error` is the failure that broke the call,
   * if any.
   */
  ended(error: Error | undefined): void
}

/**
 * A gRPC call and the appends that were sent on it. An append that was written to the call may reach the server at
 * any time, or never.
 */
export class BatchStream {
  private readonly sent = new Map<string, Awaiting>()
  /** The ids of sent appends that timed out and have no answer yet. */
  private readonly timedOut = new Set<string>()
  private answered = false
  private over = false
  private full = false
  private leaving = false

  constructor(
    private readonly batch: BatchCall,
    private readonly owner: Owner,
  ) {
    const { call } = batch
    call.on('data', (response) => {
      this.take(response)
    })
    call.on('drain', () => {
      this.full = false
      if (!this.over && !this.leaving) this.owner.drained()
    })
    // The listener is never removed, because a late error without a listener would end the process.
    call.on('error', (error) => {
      this.break(error)
    })
    for (const event of ['end', 'close'] as const) {
      call.on(event, () => {
        this.break(new Error('the server ended the call'))
      })
    }
  }

  get isFull(): boolean {
    return this.full
  }

  /** Whether the server has answered an append on this call. */
  get isProven(): boolean {
    return this.answered
  }

  send(append: Awaiting): void {
    this.sent.set(append.id, append)
    this.full = !this.batch.call.write(append.message)
  }

  /** Gives up an append that timed out. A later answer is ignored. */
  forget({ id }: Awaiting): void {
    if (this.sent.delete(id)) this.timedOut.add(id)
    this.endIdle()
  }

  /** Stops accepting appends. The call ends after the last answer. */
  retire(): void {
    this.leaving = true
    this.endIdle()
  }

  private take(response: BatchAppendResp): void {
    if (this.over) return
    try {
      const id = correlationIn(response) ?? ''
      this.answered = true
      this.timedOut.delete(id)
      const append = this.sent.get(id)
      const answer = answerIn(response)
      this.sent.delete(id)
      append?.settle(answer)
      const error = response.getError()
      if (error !== undefined && isUnavailable(error)) this.leave()
      this.endIdle()
    } catch (cause) {
      this.break(new Error('the server gave an answer that cannot be parsed', { cause }))
    }
  }

  private leave(): void {
    if (this.leaving) return
    this.leaving = true
    this.batch.leaveNode()
    this.owner.retired()
  }

  private endIdle(): void {
    if (!this.leaving || this.over || this.sent.size > 0) return
    this.over = true
    this.batch.call.cancel()
    this.owner.ended(undefined)
  }

  private break(error: Error): void {
    if (this.over) return
    this.over = true
    this.batch.call.cancel()
    const answer = this.verdict(error)
    for (const { settle } of this.sent.values()) settle(answer)
    this.sent.clear()
    this.owner.ended(error)
  }

  /**
   * Returns the answer for all appends that are unanswered when the call breaks. A server that
   * refuses an append ends the call without naming that append. So the append is certainly refused
   * in two cases only: the server refused the call before it read any append, or exactly one append
   * was unanswered.
   */
  private verdict(error: Error): Answer {
    const meant = convertToCommandError(error)
    const answer = answerOfError(meant)
    const alone = this.sent.size + this.timedOut.size === 1
    const certain = alone || (!this.answered && isOfOpening(meant))
    if (answer.kind === 'refused' && certain) return answer
    return { kind: 'unknown', reason: reasonOf(error) }
  }
}
