import { Semaphore } from '../semaphore.js'
import { Refusal, isRefused, refusedForNow } from '../ports/refusal.js'

export interface BatchItem<T> {
  /** The entity of the item. Items of one entity take effect in their order. */
  readonly entity: string
  readonly run: () => Promise<T>
}

export interface BatchLimits {
  readonly inFlight: number
  /** How long after the arrival of the batch an item may begin. */
  readonly timeoutMs: number
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
}

/**
 * Runs every item and returns the outcomes in the order of the items. A batch is not atomic: a refused item
 * does not stop the others.
 *
 * - Items of one entity run one after another. If an item fails but may still be stored later (by a late
 *   commit or a
 *   retry), the later items of its entity are refused with `store_unavailable`. Otherwise a retried item
 * could land
 *   after newer ones.
 * - An item that could not begin in time is refused with `overloaded`.
 */
export type RunBatch = <T>(
  items: readonly BatchItem<T>[],
  /** How long the batch has waited already, in milliseconds. */
  waitedMs?: number,
  /** How long after the batch came an item may begin, where that is not as for all. */
  timeoutMs?: number,
) => Promise<readonly PromiseSettledResult<T>[]>

/** The part of all appends under way that those of batches may be. */
const batchShare = 1 / 4

/** The number of batch items that may run at once, out of `maxInFlight` appends. */
export function itemsInFlight(maxInFlight: number): number {
  return Math.max(1, Math.floor(maxInFlight * batchShare))
}

export function runBatchWithin(limits: BatchLimits): RunBatch {
  const semaphore = new Semaphore({ most: limits.inFlight, queued: Infinity })
  return async (items, waitedMs = 0, timeoutMs = limits.timeoutMs) => {
    const dueAt = limits.now() + timeoutMs - waitedMs
    const batch = new Batch(items, () => limits.now() >= dueAt, semaphore)
    return batch.run()
  }
}

class Batch<T> {
  private readonly outcomes: PromiseSettledResult<T>[] = []

  constructor(
    private readonly items: readonly BatchItem<T>[],
    private readonly isLate: () => boolean,
    private readonly semaphore: Semaphore,
  ) {}

  async run(): Promise<readonly PromiseSettledResult<T>[]> {
    const waiting = indexesByEntity(this.items)
    await Promise.all(Array.from(waiting.values(), (indexes) => this.runInOrder(indexes)))
    return this.outcomes
  }

  private async runInOrder(indexes: readonly number[]): Promise<void> {
    let mayFollow = false
    for (const index of indexes) {
      const outcome: PromiseSettledResult<T> = mayFollow
        ? refused(notSent())
        : await this.outcomeOf(index)
      mayFollow ||= mayBeStoredLater(outcome)
      this.outcomes[index] = outcome
    }
  }

  private async outcomeOf(index: number): Promise<PromiseSettledResult<T>> {
    const item = this.items[index]
    if (item === undefined) throw new RangeError('no such item')
    const taken = this.semaphore.take('', patience)
    const release = typeof taken === 'function' ? taken : await taken
    try {
      if (this.isLate()) return tooLate
      return { status: 'fulfilled', value: await item.run() }
    } catch (reason) {
      return refused(reason)
    } finally {
      release()
    }
  }
}

/** Waiting items are not refused while they wait: a late item is refused when it would begin. */
const patience = { waitMs: Infinity }

const tooLate = refused(new Refusal('overloaded', 'the batch took too long for this item to begin'))

/**
 * Whether an item may still be stored later. A late item is excluded, because every item after it is late
 * too.
 */
function mayBeStoredLater(outcome: PromiseSettledResult<unknown>): boolean {
  if (outcome.status === 'fulfilled' || outcome === tooLate) return false
  return isRefused(outcome.reason, 'outcome_unknown', ...refusedForNow)
}

/** The indexes of each entity's items, in order. */
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
