import type { FactLog } from '../facts/ports/fact-log.js'
import { NotThere } from './follow-pauses.js'
import type { ErasureAhead, Projections } from './ports/projections.js'
import type { Checkpoint } from './ports/read-model.js'
import { ErasuresAhead, type ErasableLog } from './erasures-ahead.js'

/** For two seconds: a leader just elected may show its end a little late. */
const refusalsToBelieve = 5

interface ComparedCheckpoint {
  /** The store of the log holds the fact at the checkpoint, or has removed it with an erased entity. */
  readonly isSame: boolean
  /** What bears on the facts behind the checkpoint, or on all where another fact is there. */
  readonly erasures: readonly ErasureAhead[]
}

/** Compares a checkpoint with the store, and counts how often in a row that had nothing there. */
export class CheckpointComparison {
  private refusals = 0
  private readonly ahead = new ErasuresAhead()

  /** Throws `NotThere` the first times that the store has no fact there, and what the log throws. */
  async compare(
    log: FactLog & ErasableLog,
    { checkpoint, checkpointEntity }: Pick<Projections, 'checkpoint' | 'checkpointEntity'>,
  ): Promise<ComparedCheckpoint> {
    const erasures = await this.ahead.read(log, checkpoint.position)
    const isErased = erasures.some(({ entityId }) => entityId === checkpointEntity)
    const isSame = await this.holds(log, checkpoint, isErased)
    return { isSame, erasures: isSame ? erasures : await this.ahead.read(log, 0) }
  }

  private async holds(
    log: FactLog,
    { position, id }: Checkpoint,
    isErased: boolean,
  ): Promise<boolean> {
    const fact = position > 0 ? await log.at(position) : { id }
    if (fact === undefined && isErased) return true
    if (fact === undefined && (this.refusals += 1) < refusalsToBelieve) {
      throw new NotThere(`the store has no fact at position ${String(position)}`)
    }
    this.refusals = 0
    return fact?.id === id
  }
}
