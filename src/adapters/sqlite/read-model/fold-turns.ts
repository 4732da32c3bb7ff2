import { Permits } from '../../../application/permits.js'
import { ReadModelBehind } from '../../../application/reading/errors.js'

/** So many facts are folded for one request. */
export const maxFoldedFacts = 100_000

/** So many are folded before others have their turn. */
export const factsAtOnce = 200

/** Folds under way at the same time: they are long, and a few leave room for everything else. */
const maxFolding = 2
/** Folds that wait for their turn. */
const maxQueued = 32
/** How long a fold may take with its wait, in milliseconds. */
const maxFoldMs = 10_000

/** Lets a few requests at a time fold facts. */
export class FoldTurns {
  private readonly permits = new Permits(maxFolding)

  /**
   * `dueAt`: when the work is to give up. `position`: of the last fact that is known here. Throws
   * `ReadModelBehind` when too many others wait.
   */
  async take<T>(position: number, work: (dueAt: number) => Promise<T>): Promise<T> {
    const dueAt = performance.now() + maxFoldMs
    if (this.permits.queued >= maxQueued) throw new ReadModelBehind(position)
    await this.permits.take()
    try {
      return await work(dueAt)
    } finally {
      this.permits.giveBack()
    }
  }
}
