import type { Clock } from '../ports/clock-and-ids.js'
import type { ClockTrust } from './clock-guard.js'
import type { StoreHealth } from './ports/event-store.js'

type Readiness = 'ready' | 'store_unavailable' | 'clock_untrusted'

const cachedForMs = 1_000

/**
 * Returns the use case that checks readiness. Its result is `ready` when the clock is trusted and
 * the store responds. Asks the store at most once per second.
 */
export function checkReadinessUseCase(health: StoreHealth, clock: Clock, trust: ClockTrust) {
  let cached: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  return async (): Promise<Readiness> => {
    if (!trust.isTrusted) return 'clock_untrusted'
    const now = clock.now().getTime()
    if (cached === undefined || Math.abs(now - cached.at) >= cachedForMs) {
      cached = { at: now, answer: answers(health) }
    }
    return (await cached.answer) ? 'ready' : 'store_unavailable'
  }
}

function answers(health: StoreHealth): Promise<boolean> {
  return health.check().then(
    () => true,
    () => false,
  )
}
