import {
  erasuresStream,
  type ClockFloor,
  type EntityErasureRecorded,
  type ErasedFactsRemoved,
} from '../../domain/erasures.js'
import type { InPieces } from '../../domain/in-pieces.js'
import { readFact } from '../facts/fact-format.js'
import type { FactLog } from '../facts/ports/fact-log.js'
import type { StreamFact, StreamReader } from '../ports/exact-appends.js'
import type { ErasureAhead, Projections } from './ports/projections.js'

/** A log whose stream of erasures can be read by itself. */
export type ErasableLog = Pick<FactLog, 'at'> & Partial<StreamReader>

interface Known extends Pick<ErasureAhead, 'entityId' | 'removedUpTo'> {
  /** Undefined: nobody has asked for it yet. */
  clock: readonly ClockFloor[] | undefined
}

/**
 * All erasures that the store knows. What was recorded of these entities before cannot be found again, and what
 * follows from it is not to be compared. Each fact of the stream `erasures` is read once.
 */
export class ErasuresAhead {
  private readonly known = new Map<string, Known>()
  /** The last fact that was read. */
  private last: Pick<StreamFact, 'id' | 'revision'> | undefined

  /** With the clocks of those that are applied after a position. Rejects with `store_unavailable`. */
  async read(log: ErasableLog, after: number): Promise<readonly ErasureAhead[]> {
    await this.readOn(log)
    const erasures: ErasureAhead[] = []
    for (const one of this.known.values()) {
      const { entityId, removedUpTo } = one
      const isAhead = removedUpTo !== undefined && removedUpTo > after
      if (isAhead) one.clock ??= await clockAt(log, removedUpTo)
      erasures.push({ entityId, removedUpTo, clock: (isAhead ? one.clock : undefined) ?? [] })
    }
    return erasures
  }

  private async readOn(log: ErasableLog): Promise<void> {
    while (log.readStream !== undefined) {
      const { last } = this
      const page = await log.readStream(erasuresStream, last?.revision ?? 0)
      // A store that was restored has another fact there, or none.
      if (last !== undefined && page[0]?.id !== last.id) {
        this.forget()
        continue
      }
      const unread = last === undefined ? page : page.slice(1)
      if (unread.length === 0) return
      for (const stored of unread) this.add(stored)
    }
  }

  private forget(): void {
    this.known.clear()
    this.last = undefined
  }

  private add(stored: StreamFact): void {
    const fact = readFact(stored)
    if (fact?.type === 'EntityErasureRecorded') this.recorded(fact)
    if (fact?.type === 'ErasedFactsRemoved') this.removed(fact)
    this.last = { id: stored.id, revision: stored.revision }
  }

  private recorded({ id, data: { entityId } }: EntityErasureRecorded): void {
    this.known.set(id, { entityId, removedUpTo: undefined, clock: undefined })
  }

  private removed({ data: { erasureId, closedAt, clock } }: ErasedFactsRemoved): void {
    const before = this.known.get(erasureId)
    if (before === undefined) return
    this.known.set(erasureId, { ...before, removedUpTo: Number(closedAt.position), clock })
  }
}

/** Erasures that projections are told of between two looks at the clock. */
const foreseenTogether = 50

/** Tells projections of erasures, a piece at a time. Ends early when the signal is aborted. */
export function* foreseeInPieces(
  projections: Pick<Projections, 'foresee'>,
  erasures: readonly ErasureAhead[],
  signal: AbortSignal,
): InPieces<void> {
  for (let from = 0; from < erasures.length && !signal.aborted; from += foreseenTogether) {
    projections.foresee(erasures.slice(from, from + foreseenTogether))
    yield
  }
}

/** That of an `EntityErased`, where stores of earlier versions have it. */
async function clockAt(log: ErasableLog, position: number): Promise<readonly ClockFloor[]> {
  const logged = await log.at(position)
  const fact = logged && readFact(logged)
  return fact?.type === 'EntityErased' ? (fact.data.clock ?? []) : []
}
