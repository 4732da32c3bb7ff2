import { OutcomeUnknown, Overloaded } from '../../application/ports/store-errors.js'
import { NotInTime, within } from './within.js'

interface Waiting {
  readonly key: string
  readonly done: Promise<unknown>
}

/** Keyed appends of one stream take turns: side by side they would only make each other lose. */
export class StreamQueues {
  private readonly queues = new Map<string, Waiting[]>()

  /**
   * Runs `work` when those before it are done. When its turn does not come in time it never will:
   * `OutcomeUnknown` where one with the same key is before it, else `Overloaded`.
   */
  async inTurn<T>(
    { stream, key, milliseconds }: { stream: string; key: string; milliseconds: number },
    work: () => Promise<T>,
  ): Promise<T> {
    const queue = this.queues.get(stream) ?? []
    this.queues.set(stream, queue)
    const before = [...queue]
    let leave: () => void = () => undefined
    const done = new Promise<void>((resolve) => (leave = resolve))
    const mine = { key, done }
    queue.push(mine)
    try {
      await this.turn(before, key, milliseconds)
      return await work()
    } finally {
      queue.splice(queue.indexOf(mine), 1)
      if (queue.length === 0) this.queues.delete(stream)
      leave()
    }
  }

  private async turn(before: readonly Waiting[], key: string, milliseconds: number): Promise<void> {
    if (before.length === 0) return
    try {
      await within(milliseconds, Promise.all(before.map(({ done }) => done)))
    } catch (error) {
      if (!(error instanceof NotInTime)) throw error
      if (before.some((one) => one.key === key)) throw new OutcomeUnknown('its first is under way')
      throw new Overloaded('too many keyed appends of one stream')
    }
  }
}
