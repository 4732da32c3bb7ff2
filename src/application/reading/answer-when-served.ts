import { SegmentBuilding } from './errors.js'
import type { Waiters } from './waiters.js'

export interface ServedChanges {
  /** How often other segments were served than before. */
  readonly count: () => number
  /** Those who wait until the changes are so many. */
  readonly waiting: Waiters
}

/**
 * Tries again whenever other segments are served, as long as a segment is being built and `dueAt` is not
 * there, on the clock of `performance.now`. Rejects with what the last attempt rejects with.
 */
export async function answerWhenServed<T>(
  attempt: () => Promise<T>,
  { count, waiting }: ServedChanges,
  dueAt: number,
): Promise<T> {
  for (;;) {
    const before = count()
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof SegmentBuilding)) throw error
      const left = dueAt - performance.now()
      const hasChanged = count() > before || (left > 0 && (await waiting.wait(before + 1, left)))
      if (!hasChanged) throw error
    }
  }
}
