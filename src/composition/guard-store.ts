import { getHeapStatistics } from 'node:v8'
import type { AppendMetrics } from '../adapters/prometheus/append-metrics.js'
import { limitInFlight } from '../application/recording/limit-in-flight.js'
import type { ClockTrust } from '../application/recording/ports/clock-trust.js'
import type { ExactAppends, StreamReader } from '../application/ports/exact-appends.js'
import type { EventStore } from '../application/recording/ports/event-store.js'
import { refuseUntrustedClock } from '../application/recording/refuse-untrusted-clock.js'
import { trackUnknownOutcomes } from '../application/recording/track-unknown-outcomes.js'
import type { OpenStore } from './store-kind.js'

/** The part of the heap that facts under way may fill: their text is there several times over. */
const heapShareOfAppends = 1 / 16

/** What use cases may ask of the store. */
export type GuardedStore = EventStore & ExactAppends & StreamReader

/**
 * The store as use cases see it, from the outside in: while a key's outcome is unknown,
 * `StoreUnavailable`, `Overloaded` and `ClockUntrusted` become `OutcomeUnknown`; appends are refused
 * while the clock is not trusted, and beyond the limits; what reaches the store is counted. Appends at
 * an exact revision have no keys, and each is told apart from the one before: none is tracked.
 */
export function guardStore(
  store: OpenStore,
  maxInFlight: number,
  metrics: AppendMetrics,
  clock: ClockTrust,
): GuardedStore {
  const counted = metrics.counting(store)
  const countedExact = metrics.countingExact(store)
  const bytes = getHeapStatistics().heap_size_limit * heapShareOfAppends
  const limited = limitInFlight(
    {
      append: (append) => counted.append(append),
      appendAt: (append) => countedExact.appendAt(append),
      get queued() {
        return store.queued ?? nothing
      },
      catchUp: () => store.catchUp?.(),
    },
    { appends: maxInFlight, bytes },
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
