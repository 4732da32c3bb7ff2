import type { FactLog } from '../facts/ports/fact-log.js'
import { NotThere } from './log-errors.js'
import type { Checkpoint } from './ports/read-model.js'

/**
 * A leader just elected may show its end a little late: only what it says again and again counts, for
 * two seconds.
 */
const refusalsToBelieve = 5

/** Compares a checkpoint with the store, and counts how often in a row that had nothing there. */
export class CheckpointComparison {
  private refusals = 0

  /**
   * Whether the store of the log holds the fact at the checkpoint, or has removed it with an erased entity
   * (`isErased`). Throws `NotThere` the first times that
   * it has none there, and what the log throws.
   */
  async holds(
    log: FactLog,
    { position, id }: Checkpoint,
    isErased: () => boolean = () => false,
  ): Promise<boolean> {
    const fact = position > 0 ? await log.at(position) : { id }
    if (fact === undefined && isErased()) return true
    if (fact === undefined && (this.refusals += 1) < refusalsToBelieve) {
      throw new NotThere(`the store has no fact at position ${String(position)}`)
    }
    this.refusals = 0
    return fact?.id === id
  }
}
