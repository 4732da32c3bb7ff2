import { getHeapStatistics } from 'node:v8'
import type { AppendMetrics } from '../adapters/prometheus/append-metrics.js'
import { limitInFlight } from '../application/recording/limit-in-flight.js'
import type { ClockTrust } from '../application/recording/ports/clock-trust.js'
import type { EventStore } from '../application/recording/ports/event-store.js'
import { refuseUntrustedClock } from '../application/recording/refuse-untrusted-clock.js'
import { trackUnknownOutcomes } from '../application/recording/track-unknown-outcomes.js'
import type { OpenStore } from './store-kind.js'

/** The part of the heap that facts under way may fill: their text is there several times over. */
const heapShareOfAppends = 1 / 16

/**
 * The store as use cases see it, from the outside in: while a key's outcome is unknown,
 * `StoreUnavailable`, `Overloaded` and `ClockUntrusted` become `OutcomeUnknown`; appends are refused
 * while the clock is not trusted, and beyond the limits; what reaches the store is counted.
 */
export function guardStore(
  store: OpenStore,
  maxInFlight: number,
  metrics: AppendMetrics,
  clock: ClockTrust,
): EventStore {
  const counted = metrics.counting(store)
  const bytes = getHeapStatistics().heap_size_limit * heapShareOfAppends
  const limited = limitInFlight(
    {
      append: (append) => counted.append(append),
      get queued() {
        return store.queued ?? nothing
      },
      catchUp: () => store.catchUp?.(),
    },
    { appends: maxInFlight, bytes },
  )
  return trackUnknownOutcomes(refuseUntrustedClock(limited, clock))
}

const nothing = { appends: 0, bytes: 0 }
