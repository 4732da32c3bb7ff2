import { atOnce, type InPieces } from '../../domain/in-pieces.js'
import type { FairTurns } from '../fair-turns.js'
import { Semaphore, type Release } from '../semaphore.js'
import { Refusal, isRefused, refusedForNow } from '../ports/refusal.js'

export interface BatchItem<T> {
  /** The external id of the item's entity. Items of one entity run in their order. */
  readonly entity: string
  readonly run: () => Promise<T>
}

export interface BatchLimits {
  readonly inFlight: number
  /**
   * The longest time between the arrival of the batch and the start of an item, in milliseconds.
   */
  readonly timeoutMs: number
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
}

/**
 * Runs every item and returns the outcomes in the order of the items. A batch is not atomic: a
 * refused item does not stop the other items.
 *
 * - Items of one entity run one after another. If an item fails and may still be stored later, by a
 * late commit or by a retry, the remaining items of its entity are refused with
 * `store_unavailable`. Otherwise a retried item could be stored after newer items.
 * - An item that could not start in time is refused with `overloaded`.
 */
export type RunBatch = <T>(
  items: readonly BatchItem<T>[],
  options?: BatchOptions,
) => Promise<readonly PromiseSettledResult<T>[]>

interface BatchOptions {
  /** The time that has passed since the batch arrived, in milliseconds. */
  readonly waitedMs?: number
  /** Replaces `BatchLimits.timeoutMs` for this batch. */
  readonly timeoutMs?: number
  /** The owner of the batch. All owners get equal shares of the items that run at once. */
  readonly owner?: string
  /**
   * Shares the thread between owners. When present, an item starts when `turns` lets its owner run.
   * When absent, each item starts at once.
   */
  readonly turns?: FairTurns | undefined
}

/** The share of `maxInFlight` appends that all batches together may use. */
const batchShare = 1 / 4

/** Returns the maximum number of batch items that may run at once, out of `maxInFlight` appends. */
export function itemsInFlight(maxInFlight: number): number {
  return Math.max(1, Math.floor(maxInFlight * batchShare))
}

export function runBatchWithin(limits: BatchLimits): RunBatch {
  const semaphore = new Semaphore({ most: limits.inFlight, queued: Infinity })
  return async (items, { waitedMs = 0, timeoutMs = limits.timeoutMs, owner = '', turns } = {}) => {
    const dueAt = limits.now() + timeoutMs - waitedMs
    const take = () => semaphore.take(owner, patience)
    const isLate = () => limits.now() >= dueAt
    const begin: Parts['begin'] = (work) =>
      turns === undefined ? work() : turns.begin(owner, work)
    const batch = new Batch(items, { isLate, take, begin })
    if (turns === undefined) atOnce(batch.beginAll())
    else await turns.run(owner, batch.beginAll())
    return batch.end()
  }
}

interface Parts {
  readonly isLate: () => boolean
  /** Acquires a permit for one item. */
  readonly take: () => Release | Promise<Release>
  readonly begin: <T>(work: () => T | Promise<T>) => T | Promise<T>
}

class Batch<T> {
  private readonly outcomes: PromiseSettledResult<T>[] = []
  private readonly running: Promise<void>[] = []

  constructor(
    private readonly items: readonly BatchItem<T>[],
    private readonly parts: Parts,
  ) {}

  /** Starts the items. Each piece of work starts the items of one entity. */
  *beginAll(): InPieces<void> {
    for (const indexes of indexesByEntity(this.items).values()) {
      this.running.push(this.runInOrder(indexes))
      yield
    }
  }

  async end(): Promise<readonly PromiseSettledResult<T>[]> {
    await Promise.all(this.running)
    return this.outcomes
  }

  private async runInOrder(indexes: readonly number[]): Promise<void> {
    let mayFollow = false
    let isInTurn = true
    for (const index of indexes) {
      const outcome: PromiseSettledResult<T> = mayFollow
        ? refused(notSent())
        : await this.outcomeOf(index, isInTurn)
      isInTurn = false
      mayFollow ||= mayBeStoredLater(outcome)
      this.outcomes[index] = outcome
    }
  }

  /**
   * Runs an item and returns its outcome. `isInTurn` says whether `FairTurns` lets the owner run at
   * the moment. After a wait for a permit, the item also waits until the owner may run again.
   */
  private async outcomeOf(index: number, isInTurn: boolean): Promise<PromiseSettledResult<T>> {
    const item = this.items[index]
    if (item === undefined) throw new RangeError('no such item')
    const taken = this.parts.take()
    const hasRoom = typeof taken === 'function'
    const release = hasRoom ? taken : await taken
    try {
      if (isInTurn && hasRoom) return await this.begin(item)
      return await this.parts.begin(() => this.begin(item))
    } catch (reason) {
      return refused(reason)
    } finally {
      release()
    }
  }

  private async begin(item: BatchItem<T>): Promise<PromiseSettledResult<T>> {
    return this.parts.isLate() ? tooLate : { status: 'fulfilled', value: await item.run() }
  }
}

/**
 * Items wait for a permit without a time limit. An item that waited too long is refused at its
 * start.
 */
const patience = { waitMs: Infinity }

const tooLate = refused(new Refusal('overloaded', 'the batch took too long for this item to begin'))

/**
 * Returns whether the item may still be stored later. An item that was too late to start is
 * certainly not stored. The remaining items of its entity are then too late as well.
 */
function mayBeStoredLater(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'fulfilled' || outcome === tooLate) return false
  return isRefused(outcome.reason, 'outcome_unknown', ...refusedForNow)
}

/** Returns the indexes of each entity's items, in the order of the items. */
function indexesByEntity(items: readonly { readonly entity: string }[]) {
  const byEntity = new Map<string, number[]>()
  items.forEach(({ entity }, index) => {
    const indexes = byEntity.get(entity)
    if (indexes === undefined) byEntity.set(entity, [index])
    else indexes.push(index)
  })
  return byEntity
}

function refused(reason: unknown): PromiseRejectedResult {
  return { status: 'rejected', reason }
}

function notSent(): Refusal {
  return new Refusal(
    'store_unavailable',
    'an earlier item about the same entity may still be stored',
  )
}
