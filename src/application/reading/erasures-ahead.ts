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

/** Reads the stream of erasures, and single facts of the log. */
type ErasuresReader = Pick<FactLog, 'at'> & StreamReader

interface Known extends Pick<ErasureAhead, 'entityId' | 'removedUpTo'> {
  /** The clock floors of the erasure. Undefined until they are needed. */
  clock: readonly ClockFloor[] | undefined
}

/**
 * All erasures in the store, including erasures that the read model has not applied. A store cannot
 * return removed facts, so the read model cannot derive the changes that followed from them. It
 * must therefore not compare these changes with the published facts. Reads each fact of the stream
 * `erasures` once.
 */
export class ErasuresAhead {
  private readonly known = new Map<string, Known>()
  /** The last fact that was read from the stream. */
  private last: Pick<StreamFact, 'id' | 'revision'> | undefined

  /**
   * Returns all erasures. Adds the clock floors to each erasure whose `EntityErased` is after the
   * position. Rejects with `store_unavailable`.
   */
  async read(log: ErasuresReader, after: number): Promise<readonly ErasureAhead[]> {
    await this.readNew(log)
    const erasures: ErasureAhead[] = []
    for (const known of this.known.values()) {
      const { entityId, removedUpTo } = known
      const isAhead = removedUpTo !== undefined && removedUpTo > after
      if (isAhead) known.clock ??= await clockAt(log, removedUpTo)
      erasures.push({ entityId, removedUpTo, clock: (isAhead ? known.clock : undefined) ?? [] })
    }
    return erasures
  }

  private async readNew(log: ErasuresReader): Promise<void> {
    for (;;) {
      const { last } = this
      const page = await log.readStream(erasuresStream, last?.revision ?? 0)
      // Starts again from the first fact. A restored store has another fact at this revision, or
      // none.
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

/** The number of erasures that are passed to the projections in one piece of work. */
const foreseenTogether = 50

/** Passes erasures to the projections in pieces. Ends early when the signal is aborted. */
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

/**
 * Returns the clock floors in an `EntityErased`. Earlier versions of the service stored them there.
 */
async function clockAt(log: ErasuresReader, position: number): Promise<readonly ClockFloor[]> {
  const logged = await log.at(position)
  const fact = logged && readFact(logged)
  return fact?.type === 'EntityErased' ? (fact.data.clock ?? []) : []
}
