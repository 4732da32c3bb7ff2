import type { FactLog } from '../facts/ports/fact-log.js'
import { NotThere } from './follow-pauses.js'
import type { ErasureAhead, Projections } from './ports/projections.js'
import type { Checkpoint } from './ports/read-model.js'
import { erasuresStream, type ClockFloor, type ErasedFactsRemoved } from '../../domain/erasures.js'
import { readFact } from '../facts/fact-format.js'
import type { StreamReader } from '../ports/exact-appends.js'

/** Missing facts to accept before the store is believed, about two seconds: a newly elected leader may lag. */
const refusalsToBelieve = 5

interface ComparedCheckpoint {
  /** Whether the store still hasFact the fact at the checkpoint, or removed it with an erased entity. */
  readonly isSame: boolean
  /** Erasures that affect the facts after the checkpoint, or all facts when `isSame` is false. */
  readonly erasures: readonly ErasureAhead[]
}

/** Compares a checkpoint with the store. Counts consecutive times that the store had no fact there. */
export class CheckpointComparison {
  private refusals = 0

  /** Throws `NotThere` the first times that the store has no fact there, and the errors of the log. */
  async compare(
    log: FactLog & ErasableLog,
    { checkpoint, checkpointEntity }: Pick<Projections, 'checkpoint' | 'checkpointEntity'>,
  ): Promise<ComparedCheckpoint> {
    const erasures = await erasuresAhead(log, checkpoint.position)
    const isErased = erasures.some(({ entityId }) => entityId === checkpointEntity)
    const isSame = await this.holds(log, checkpoint, isErased)
    return { isSame, erasures: isSame ? erasures : await erasuresAhead(log, 0) }
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

/** A log whose stream of erasures can be read by itself. */
export type ErasableLog = Pick<FactLog, 'at'> & Partial<StreamReader>

/**
 * All erasures that the store knows. What was recorded of these entities before cannot be found again, and what
 * follows from it is not to be compared. `after`: clocks are read of those that are applied after this
 * position. Rejects with `store_unavailable`.
 */
export async function erasuresAhead(
  log: ErasableLog,
  after: number,
): Promise<readonly ErasureAhead[]> {
  const ahead = new Map<string, ErasureAhead>()
  for (let from = 0; log.readStream !== undefined;) {
    const page = await log.readStream(erasuresStream, from)
    for (const stored of page) {
      const fact = readFact(stored)
      if (fact?.type === 'EntityErasureRecorded') {
        const { entityId } = fact.data
        ahead.set(fact.id, { entityId, removedUpTo: undefined, clock: [] })
      }
      if (fact?.type !== 'ErasedFactsRemoved') continue
      const before = ahead.get(fact.data.erasureId)
      if (before === undefined) continue
      const removedUpTo = Number(fact.data.closedAt.position)
      const clock = removedUpTo > after ? await clockOf(log, fact) : []
      ahead.set(fact.data.erasureId, { ...before, removedUpTo, clock })
    }
    if (page.length === 0) break
    from += page.length
  }
  return [...ahead.values()]
}

async function clockOf(
  log: ErasableLog,
  removed: ErasedFactsRemoved,
): Promise<readonly ClockFloor[]> {
  const { clock, closedAt } = removed.data
  if (clock !== undefined) return clock
  const logged = await log.at(Number(closedAt.position))
  const fact = logged && readFact(logged)
  return fact?.type === 'EntityErased' ? (fact.data.clock ?? []) : []
}
