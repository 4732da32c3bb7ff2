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

/** Reads under way at once, and requests that wait for a permit. */
const readLimits: Readonly<Record<Cost, SemaphoreLimits & { readonly answerMs: number }>> = {
  point: { most: 64, mostOfOne: 48, queued: 2_048, answerMs: 1_000 },
  page: { most: 4, mostOfOne: 3, queued: 512, answerMs: 10_000 },
  fold: { most: 3, mostOfOne: 2, queued: 64, answerMs: 10_000 },
}

/** Requests that wait for a position, or for the store to say where it ends. */
const awaitedLimits: SemaphoreLimits = { most: 8_192, mostOfOne: 4_096 }

/**
 * The same read model, answering as many at once as memory and time allow, with equal shares for all
 * callers. Who waits for a position holds no permit: only what is worked on does. What this process reads
 * for itself is not counted.
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
        // It costs less than another way to the read model and back.
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
      // After a failure the read model may know less than it did.
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
