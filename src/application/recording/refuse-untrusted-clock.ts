import { Refusal } from '../ports/refusal.js'
import type { ExactAppends } from '../ports/exact-appends.js'
import type { ClockTrust } from './ports/clock-trust.js'
import type { EventStore } from './ports/event-store.js'

/**
 * The same store, refusing every append with `clock_untrusted` while the clock is not trusted: a fact
 * has the time at which it was recorded, for ever.
 */
export function refuseUntrustedClock(
  store: EventStore & ExactAppends,
  clock: ClockTrust,
): EventStore & ExactAppends {
  // Made once: an error costs as much as the rest of a refusal, and says the same every time.
  const untrusted = new Refusal('clock_untrusted', "this clock and the store's are too far apart")
  return {
    append: (append) => (clock.isTrusted ? store.append(append) : Promise.reject(untrusted)),
    appendAt: (append) => (clock.isTrusted ? store.appendAt(append) : Promise.reject(untrusted)),
  }
}
