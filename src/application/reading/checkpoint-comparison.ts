import type { FactLog } from '../facts/ports/fact-log.js'
import { NotThere } from './follow-pauses.js'
import type { ErasureAhead, Projections } from './ports/projections.js'
import type { Checkpoint } from './ports/read-model.js'
import type { StreamReader } from '../ports/exact-appends.js'
import { ErasuresAhead } from './erasures-ahead.js'

/**
 * The read model is rebuilt after this number of consecutive comparisons that do not find the fact.
 * The comparisons take about two seconds in total, because a newly elected leader may lag.
 */
const missesBeforeRebuild = 5

/** The fact log that a read model follows. Erasures are read from their own stream. */
export type FollowedLog = FactLog & StreamReader

interface ComparedCheckpoint {
  /** True if the store still has the fact at the stored position, or has removed this fact with an erased entity. */
  readonly isSame: boolean
  /** The erasures of facts after the stored position. If `isSame` is false, all erasures. */
  readonly erasures: readonly ErasureAhead[]
}

/** Compares the stored position with the store. Counts the consecutive comparisons that did not find the fact. */
export class CheckpointComparison {
  private misses = 0
  private readonly ahead = new ErasuresAhead()

  /**
   * Compares the stored position with the fact log. Throws `NotThere` if the fact is missing, until
   * the limit of consecutive comparisons is reached. Throws the errors of the fact log.
   */
  async compare(
    log: FollowedLog,
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
    if (fact === undefined && (this.misses += 1) < missesBeforeRebuild) {
      throw new NotThere(
        `the store has no fact at position ${String(position)}, which the read model has applied: after a restore, ` +
          'the read model is rebuilt within seconds',
      )
    }
    this.misses = 0
    return fact?.id === id
  }
}
