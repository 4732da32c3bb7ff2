import type { BatchRoute, KeyedItem, ResultOf } from './batch-route.js'
import { DossierError } from './errors.js'
import type { CallOptions } from './requests.js'
import type { Transport } from './transport.js'
import { pause, pauseAfter } from './waiting.js'

/**
 * Sends chunks, and retries items until the time limit of the call. If an item may be stored but
 * its outcome stays unknown, `stuck` contains its entity, and no further item of this entity is
 * sent.
 */
export class BatchSender<Item, Sent, Stored extends object> {
  private readonly stuck = new Set<string>()

  constructor(
    private readonly route: BatchRoute<Item, Sent, Stored>,
    private readonly transport: Transport,
    private readonly options: CallOptions,
  ) {}

  /**
   * Returns a result for each item. Throws only the signal's reason, when the signal is aborted.
   */
  async send(chunk: readonly KeyedItem<Sent>[]): Promise<readonly ResultOf<Sent, Stored>[]> {
    const { timeoutMs = this.transport.timeoutMs, maxRetries = Infinity, signal } = this.options
    const endsAt = performance.now() + timeoutMs
    const sending = chunk.map((keyed) => new Sending<Sent, Stored>(keyed))
    let waiting = sending.filter((one) => !this.isHeldBack(one))
    for (let attempt = 0; waiting.length > 0; attempt += 1) {
      const askedMs = await this.sendOnce(waiting, endsAt - performance.now())
      waiting = waiting.filter(({ result }) => result?.error?.isPassing ?? false)
      const pauseMs = pauseAfter(attempt, askedMs)
      const [error] = waiting.flatMap(({ result }) => result?.error ?? [])
      const isLast = attempt >= maxRetries || performance.now() + pauseMs >= endsAt
      if (error === undefined || isLast) break
      this.transport.retries(error, pauseMs)
      await pause(pauseMs, signal)
      if (performance.now() >= endsAt) break
    }
    for (const { keyed } of waiting) this.stuck.add(keyed.entity)
    return sending.flatMap(({ result }) => (result === undefined ? [] : [result]))
  }

  /** Sends items and records their results. Returns the pause that the service asks for. */
  private async sendOnce(
    waiting: readonly Sending<Sent, Stored>[],
    leftMs: number,
  ): Promise<number | undefined> {
    const items = waiting.map(({ keyed }) => keyed)
    const timed = { ...this.options, timeoutMs: leftMs }
    try {
      const { each, retryAfterMs } = await this.route.send(this.transport, items, timed)
      for (const [at, one] of waiting.entries()) one.answered(each[at])
      return retryAfterMs
    } catch (error) {
      if (!(error instanceof DossierError)) throw error
      for (const one of waiting) one.failed(error)
      // Prevents further retries: the transport has already retried until the time limit.
      return Number.POSITIVE_INFINITY
    }
  }

  private isHeldBack(one: Sending<Sent, Stored>): boolean {
    if (!this.stuck.has(one.keyed.entity)) return false
    const message = 'An earlier item of this entity may still be stored. This item was not sent.'
    one.failed(new DossierError({ code: 'not_sent', message, stored: 'no' }))
    return true
  }
}

/** An item and its latest result. */
class Sending<Sent, Stored extends object> {
  result: ResultOf<Sent, Stored> | undefined
  private stored: 'no' | 'unknown' = 'no'

  constructor(readonly keyed: KeyedItem<Sent>) {}

  answered(outcome: Stored | DossierError | undefined): void {
    const { item } = this.keyed
    if (outcome === undefined) {
      const message = 'The reply to the batch has no result for this item.'
      this.failed(new DossierError({ code: 'unreadable_reply', message, stored: 'unknown' }))
    } else if (outcome instanceof DossierError) {
      this.failed(outcome)
    } else {
      this.result = { item, ...outcome }
    }
  }

  failed(error: DossierError): void {
    const known = error.after(this.stored)
    this.stored = known.stored
    this.result = { item: this.keyed.item, error: known }
  }
}
