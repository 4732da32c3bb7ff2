import type { ExactAppends, StreamReader } from '../ports/exact-appends.js'
import { limitInFlight, type LimitedStore } from './limit-in-flight.js'
import { trackUnknownOutcomes } from './track-unknown-outcomes.js'
import { Refusal } from '../ports/refusal.js'
import type { ClockTrust } from './clock-guard.js'
import type { EventStore } from './ports/event-store.js'

/**
 * The share of the heap for texts of unfinished appends. It is small, because memory contains each text several
 * times.
 */
const heapShareOfAppends = 1 / 16

export type GuardedStore = EventStore & ExactAppends & StreamReader

interface GuardOptions {
  readonly maxInFlight: number
  /** The limit of the heap, in bytes. */
  readonly heapBytes: number
  readonly clock: ClockTrust
  readonly counter: AppendCounter
}

interface AppendCounter {
  /** Runs the append and counts its outcome. */
  count<R extends { readonly position: string }>(append: () => Promise<R>): Promise<R>
}

/**
 * Wraps the store with the checks that all use cases need, from the outermost to the innermost:
 *
 * - An append with an idempotency key may end with an unknown outcome. If the append is then repeated, and
 * refused with `store_unavailable`, `overloaded` or `clock_untrusted`, the caller gets `outcome_unknown`,
 * because the first append may be stored. Appends at an expected revision have no idempotency keys, so they are
 * not tracked.
 * - While the clock is not trusted, all appends are refused.
 * - While too many appends are unfinished, further appends are refused.
 * - Appends that reach the store are counted.
 */
export function guardStore(
  store: LimitedStore & StreamReader,
  { maxInFlight, heapBytes, clock, counter }: GuardOptions,
): GuardedStore {
  const limited = limitInFlight(
    {
      append: (append) => counter.count(() => store.append(append)),
      appendAt: (append) => counter.count(() => store.appendAt(append)),
      get queued() {
        return store.queued ?? nothing
      },
      catchUp: () => store.catchUp?.(),
    },
    { appends: maxInFlight, bytes: heapBytes * heapShareOfAppends },
  )
  const trusted = refuseUntrustedClock(limited, clock)
  const tracked = trackUnknownOutcomes(trusted)
  return {
    append: (append) => tracked.append(append),
    appendAt: (exact) => trusted.appendAt(exact),
    readStream: (stream, from) => store.readStream(stream, from),
  }
}

const nothing = { appends: 0, bytes: 0 }

/**
 * Refuses every append with `clock_untrusted` while the clock is not trusted, because the time of a stored
 * fact can never be corrected.
 */
export function refuseUntrustedClock(
  store: EventStore & ExactAppends,
  clock: ClockTrust,
): EventStore & ExactAppends {
  // Creates the error once, because creating an error costs as much as the rest of a refusal.
  const untrusted = new Refusal('clock_untrusted', "this clock and the store's are too far apart")
  return {
    append: (append) => (clock.isTrusted ? store.append(append) : Promise.reject(untrusted)),
    appendAt: (append) => (clock.isTrusted ? store.appendAt(append) : Promise.reject(untrusted)),
  }
}
