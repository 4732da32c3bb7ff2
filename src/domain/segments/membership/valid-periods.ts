import type { Period } from './replay.js'

/**
 * The periods of valid time: of an instant counts what holds when everything has taken effect that does so
 * then. No period begins and ends at one instant, and none begins where the one before it ends.
 */
export function validPeriods(periods: readonly Period[]): readonly Period[] {
  const valid: Period[] = []
  for (const period of periods) {
    if (period.left?.at === period.entered.at) continue
    const last = valid.at(-1)
    if (last?.left?.at === period.entered.at) {
      valid.splice(-1, 1, { entered: last.entered, left: period.left })
    } else {
      valid.push(period)
    }
  }
  return valid
}
