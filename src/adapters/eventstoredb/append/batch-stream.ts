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

/** The part of a gRPC call that is used of it. */
export interface DuplexCall {
  /** False: no more until `drain`. */
  write(message: BatchAppendReq): boolean
  cancel(): void
  on(event: 'data', listener: (response: BatchAppendResp) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'drain' | 'end' | 'close', listener: () => void): unknown
}

export interface BatchCall {
  readonly call: DuplexCall
  /** The next call shall look for another node. */
  leaveNode(): void
}

/** What waits for the answer of one append. */
export interface Awaiting {
  readonly id: string
  readonly message: BatchAppendReq
  readonly settle: (answer: Answer) => void
}

interface Owner {
  /** More can be sent. */
  drained(): void
  /** Nothing more shall be sent; what was sent may still be answered. */
  retired(): void
  /** The call is over and all that was sent is settled; with what broke it, if anything did. */
  ended(error: Error | undefined): void
}

/**
 * One call and the appends that were sent on it: the only ones that its answers settle. Everything
 * handed to the call may reach the server, at once or never.
 */
export class BatchStream {
  private readonly sent = new Map<string, Awaiting>()
  /** Sent, timed out, and not answered yet. */
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
    // Stays for good: a late error without a listener would end the process.
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

  /** Some append was answered: the server has looked at what came on this call. */
  get isProven(): boolean {
    return this.answered
  }

  send(append: Awaiting): void {
    this.sent.set(append.id, append)
    this.full = !this.batch.call.write(append.message)
  }

  /** It timed out: its answer is ignored. */
  forget({ id }: Awaiting): void {
    if (this.sent.delete(id)) this.timedOut.add(id)
    this.endIdle()
  }

  /** Nothing more will be sent: the call ends when the last append is settled. */
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
      this.break(new Error('the server gave an answer that nobody can read', { cause }))
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
   * A refusal ends the call as a whole and does not say whom it refused: it is certain for all that
   * was sent only when it came before the server looked, or when one append alone had no answer.
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
