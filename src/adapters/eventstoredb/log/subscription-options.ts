import type { Fact } from '../../../application/facts/fact-table.js'
import type { Position } from './subscription-errors.js'

/** An event in one of the product's streams whose type this version does not know. */
export interface PassedOver {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly position: Position
}

/** An interruption of the subscription. The subscription resumes by itself after the pause. */
export interface Interruption {
  readonly reason: string
  readonly pauseMs: number
}

/** The distance of a subscription from the end of `$all`, counting events of every type. */
export interface Lag {
  readonly position: Position | undefined
  readonly head: Position
  /** The bytes of the log between `position` and `head`. Unrelated events keep the value slightly above 0. */
  readonly bytes: bigint
}

/** The options of a subscription. Calls to the functions never overlap. */
export interface SubscriptionOptions {
  /** A connection string of EventStoreDB. Its user needs permission to read `$all`. */
  readonly url: string
  /**
   * The last processed position. The subscription delivers the facts after this position. Undefined
   * delivers all facts.
   */
  readonly after: Position | undefined
  /** Stops the subscription: `run` waits for a running call to `handle`, then resolves. */
  readonly signal: AbortSignal
  /**
   * Processes one fact. The subscription delivers the next fact only after the promise has
   * resolved.
   */
  readonly handle: (fact: Fact, position: Position) => Promise<void> | void
  /**
   * Called with the position of an unrelated event, when every fact before the event is processed. Store the
   * position as the checkpoint, so that the next start does not read unrelated events again.
   */
  readonly reached?: (position: Position) => Promise<void> | void
  /**
   * Called when the subscription has processed all facts that were stored when it started or last
   * resumed.
   */
  readonly caughtUp?: () => Promise<void> | void
  readonly passedOver?: (event: PassedOver) => Promise<void> | void
  readonly interrupted?: (interruption: Interruption) => Promise<void> | void
  /** The timeout of a response of the server, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
  /** Waits for the given milliseconds. May reject when the signal is aborted. Tests replace it. */
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
}
