import { Refusal } from '../../../application/ports/refusal.js'
import { TimedOut, withTimeout } from '../client/with-timeout.js'

interface Waiting {
  readonly key: string
  /** Resolves when it and all before it are done. */
  readonly done: Promise<void>
}

/** Keyed appends of one stream run one after another: concurrent ones would make each
 * other fail with a wrong revision. */
export class StreamQueues {
  private readonly queues = new Map<string, Waiting[]>()

  /**
   * Runs `work` when those before it are done. When they take too long it never runs, and this throws
   * `outcome_unknown` where one with the same key is before it, else `store_unavailable`.
   */
  async enqueue<T>(
    { stream, key, milliseconds }: { stream: string; key: string; milliseconds: number },
    work: () => Promise<T>,
  ): Promise<T> {
    const queue = this.queues.get(stream) ?? []
    this.queues.set(stream, queue)
    const last = queue.at(-1)
    let leave: () => void = () => undefined
    const left = new Promise<void>((resolve) => (leave = resolve))
    const mine = { key, done: last === undefined ? left : last.done.then(() => left) }
    queue.push(mine)
    try {
      if (last !== undefined) await this.waitFor(last, milliseconds, () => isRepeat(queue, mine))
      return await work()
    } finally {
      queue.splice(queue.indexOf(mine), 1)
      if (queue.length === 0) this.queues.delete(stream)
      leave()
    }
  }

  private async waitFor(
    { done }: Waiting,
    milliseconds: number,
    hasSameKey: () => boolean,
  ): Promise<void> {
    try {
      await withTimeout(milliseconds, done)
    } catch (error) {
      if (!(error instanceof TimedOut)) throw error
      if (hasSameKey())
        throw new Refusal('outcome_unknown', 'an append with the same key is in flight')
      throw new Refusal('store_unavailable', 'keyed appends of the same stream took too long')
    }
  }
}

/** Whether one with the same key is before it. */
function isRepeat(queue: readonly Waiting[], mine: Waiting): boolean {
  return queue.slice(0, queue.indexOf(mine)).some(({ key }) => key === mine.key)
}
