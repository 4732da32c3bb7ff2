import { Semaphore, type SemaphoreLimits } from '../semaphore.js'
import type { Cost } from './ports/query.js'
import {
  queries,
  type QueryName,
  type ReadModel,
  type ReadStatus,
  type Want,
  type QueryOf,
  type AnswerOf,
} from './ports/read-model.js'

/** The limits of concurrent queries and of waiting queries, by cost. `answerMs` is the time limit of each query. */
const readLimits: Readonly<Record<Cost, SemaphoreLimits & { readonly answerMs: number }>> = {
  point: { most: 64, mostOfOne: 48, queued: 2_048, answerMs: 1_000 },
  page: { most: 4, mostOfOne: 3, queued: 512, answerMs: 10_000 },
  fold: { most: 3, mostOfOne: 2, queued: 64, answerMs: 10_000 },
}

/** The limits of queries that wait for a position or for the head of the store. */
const awaitedLimits: SemaphoreLimits = { most: 8_192, mostOfOne: 4_096 }

/**
 * Wraps the read model. Limits the number of concurrent queries, and gives all callers equal
 * shares. A query that waits for a position does not count as running. Queries without a caller,
 * from this process itself, are not limited.
 */
export class FairReads implements ReadModel {
  private readonly semaphores: Readonly<Record<Cost, Semaphore>>
  private readonly awaited = new Semaphore(awaitedLimits)

  constructor(private readonly model: ReadModel) {
    this.semaphores = {
      point: new Semaphore(readLimits.point),
      page: new Semaphore(readLimits.page),
      fold: new Semaphore(readLimits.fold),
    }
  }

  get status(): ReadStatus {
    return this.model.status
  }

  watch(listener: () => void): () => void {
    return this.model.watch(listener)
  }

  close(): Promise<void> {
    return this.model.close()
  }

  async query<N extends QueryName>(name: N, query: QueryOf<N>, want: Want): Promise<AnswerOf<N>> {
    const { caller, position, waitMs, cancellation } = want
    if (caller === undefined) return this.model.query(name, query, want)
    const waitsUntil = performance.now() + waitMs
    const cost = queries[name].cost(query)
    let known = position
    if (!this.isReached(position)) {
      const leave = await this.awaited.take(caller, { waitMs: 0, cancellation })
      try {
        // Takes no permit for a point query: a permit would cost more than the query.
        if (cost === 'point') return await this.model.query(name, query, want)
        known = (await this.model.query('factAt', { position: 0 }, want)).position
      } finally {
        leave()
      }
    }
    const { answerMs } = readLimits[cost]
    const dueAt = performance.now() + answerMs
    const taken = this.semaphores[cost].take(caller, { waitMs: answerMs, cancellation })
    const done = typeof taken === 'function' ? taken : await taken
    try {
      const now = performance.now()
      // Passes the position again: after a failure, the read model may have fewer facts.
      return await this.model.query(name, query, {
        position: known,
        waitMs: Math.max(0, waitsUntil - now),
        answerMs: Math.max(1, dueAt - now),
        caller,
        cancellation,
      })
    } finally {
      done()
    }
  }

  private isReached(position: Want['position']): boolean {
    const { reached, isBuilding } = this.status
    return position === undefined || (position !== 'head' && position <= reached && !isBuilding)
  }
}
