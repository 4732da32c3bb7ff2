import { erasuresStream, type ClockFloor, type ErasedFactsRemoved } from '../../domain/erasures.js'
import type { FactLog } from '../facts/ports/fact-log.js'
import { readFact } from '../facts/fact-format.js'
import type { ErasureAhead } from './ports/projections.js'
import type { StreamReader } from '../ports/exact-appends.js'

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
