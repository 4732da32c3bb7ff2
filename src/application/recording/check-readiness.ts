import type { Clock } from '../ports/clock.js'
import type { StoreHealth } from './ports/store-health.js'

/** Resolves true when the store answers. The store is asked at most once a second. */
export type CheckReadiness = () => Promise<boolean>

const keptForMs = 1_000

export function checkReadinessUseCase(health: StoreHealth, clock: Clock): CheckReadiness {
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined
  return () => {
    const now = clock.now().getTime()
    if (asked === undefined || Math.abs(now - asked.at) >= keptForMs) {
      asked = { at: now, answer: answers(health) }
    }
    return asked.answer
  }
}

function answers(health: StoreHealth): Promise<boolean> {
  return health.check().then(
    () => true,
    () => false,
  )
}
