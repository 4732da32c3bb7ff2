import { isRefused, Refusal, refusedForNow } from '../../../application/ports/refusal.js'
import { TimedOut, withTimeout } from '../client/with-timeout.js'

interface Waiting {
  readonly key: string
  /** Resolves when this append and all earlier appends in the queue have ended. */
  readonly done: Promise<void>
}

/**
 * Runs the appends with idempotency keys one after another for each stream. Concurrent appends
 * would make each other's expected revision wrong.
 */
export class StreamQueues {
  private readonly queues = new Map<string, Waiting[]>()

  /**
   * Runs `work` after all earlier work of the stream. If the wait exceeds `milliseconds`, never
   * runs `work` and rejects with `store_unavailable`. If an earlier append with the same
   * idempotency key was queued, a temporary refusal becomes `outcome_unknown`, because the earlier
   * append may be stored.
   */
  async enqueue<T>(
    { stream, key, milliseconds }: { stream: string; key: string; milliseconds: number },
    work: () => Promise<T>,
  ): Promise<T> {
    const queue = this.queues.get(stream) ?? []
    this.queues.set(stream, queue)
    const last = queue.at(-1)
    const isRepeat = queue.some((earlier) => earlier.key === key)
    let leave: () => void = () => undefined
    const left = new Promise<void>((resolve) => (leave = resolve))
    const mine = { key, done: last === undefined ? left : last.done.then(() => left) }
    queue.push(mine)
    try {
      if (last !== undefined) await waitFor(last, milliseconds)
      return await work()
    } catch (error) {
      if (!isRepeat || !isRefused(error, ...refusedForNow)) throw error
      throw new Refusal('outcome_unknown', 'an append with the same key was in flight', {
        cause: error,
      })
    } finally {
      queue.splice(queue.indexOf(mine), 1)
      if (queue.length === 0) this.queues.delete(stream)
      leave()
    }
  }
}

async function waitFor({ done }: Waiting, milliseconds: number): Promise<void> {
  try {
    await withTimeout(milliseconds, done)
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error
    throw new Refusal('store_unavailable', 'keyed appends of the same stream took too long')
  }
}
