import type { Fact } from '../../../application/facts/fact-table.js'
import type { Position } from './subscription-errors.js'

/** An event in a stream of ours whose type this program does not know. */
export interface PassedOver {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly position: Position
}

/** The subscription was broken off and goes on by itself after the pause. */
export interface Interruption {
  readonly reason: string
  readonly pauseMs: number
}

/** How far a subscription is behind the end of the whole log, events of all kinds counted. */
export interface Lag {
  readonly position: Position | undefined
  readonly head: Position
  /** Bytes of the log between the two; what does not concern us keeps it a little above 0. */
  readonly bytes: bigint
}

/** None of the functions is called while another one, or an earlier call of it, is under way. */
export interface SubscriptionOptions {
  /** A connection string of EventStoreDB; its user must be allowed to read `$all`. */
  readonly url: string
  /** The last position that was processed; the facts after it come. Undefined: all facts come. */
  readonly after: Position | undefined
  /** Stops the subscription: a call to `handle` under way is waited for, and `run` resolves. */
  readonly signal: AbortSignal
  /** Processes one fact. The next one comes when it has resolved. */
  readonly handle: (fact: Fact, position: Position) => Promise<void> | void
  /**
   * Everything up to this position is processed, and nothing of ours lies there: it may be kept as
   * the checkpoint, so that what does not concern us is not read again.
   */
  readonly reached?: (position: Position) => Promise<void> | void
  /** All that was stored when the subscription began, or went on after a break, is processed. */
  readonly caughtUp?: () => Promise<void> | void
  readonly passedOver?: (event: PassedOver) => Promise<void> | void
  readonly interrupted?: (interruption: Interruption) => Promise<void> | void
  /** How long the server may take to answer, 10,000 milliseconds unless said otherwise. */
  readonly timeoutMs?: number
  /** Resolves after the milliseconds; may reject when the signal is given. For tests. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}
