import type { KeyedItem } from './batch-chunks.js'
import type { BatchItem, Properties } from './entity-types.js'
import { DossierError, errorParts } from './errors.js'
import type { ItemReply } from './operations.js'
import { replyOf } from './reply.js'
import type { CallOptions } from './requests.js'
import type { Transport } from './transport.js'
import { pause, pauseAfter } from './waiting.js'

/** The item, with the key under which it was sent. */
export type SentItem = BatchItem & { readonly idempotency_key: string }

export interface StoredItem {
  readonly item: SentItem
  /** 201: it made something new. */
  readonly status: 200 | 201
  /** What the single request is answered with. */
  readonly data: Properties
  readonly position: string
  /** It was stored before, under the same key. */
  readonly replayed: boolean
  readonly error?: undefined
}

export interface RefusedItem {
  readonly item: SentItem
  /** `stored` says whether this item may be stored; `details` are relative to it. */
  readonly error: DossierError
}

export type BatchResult = StoredItem | RefusedItem

/**
 * Sends chunks, and of each again what can be repeated, until the call's time is over. `stuck`: entities
 * of which an item was given up that may be stored later; what comes after it is not sent.
 */
export class BatchSender {
  private readonly stuck = new Set<string>()

  constructor(
    private readonly transport: Transport,
    private readonly options: CallOptions,
  ) {}

  /** A result an item. Throws the reason of the signal alone. */
  async send(chunk: readonly KeyedItem[]): Promise<readonly BatchResult[]> {
    const { timeoutMs = this.transport.timeoutMs, maxRetries = Infinity, signal } = this.options
    const endsAt = performance.now() + timeoutMs
    const sending = chunk.map((keyed) => new Sending(keyed))
    let waiting = sending.filter((one) => !this.isHeldBack(one))
    for (let attempt = 0; waiting.length > 0; attempt += 1) {
      const askedMs = await this.sendOnce(waiting, endsAt - performance.now())
      waiting = waiting.filter(({ result }) => result?.error?.isPassing ?? false)
      const pauseMs = pauseAfter(attempt, askedMs)
      const error = waiting[0]?.result?.error
      const isLast = attempt >= maxRetries || performance.now() + pauseMs >= endsAt
      if (error === undefined || isLast) break
      this.transport.retries(error, pauseMs)
      await pause(pauseMs, signal)
    }
    for (const { keyed } of waiting) this.stuck.add(keyed.entity)
    return sending.flatMap(({ result }) => (result === undefined ? [] : [result]))
  }

  /** How long the service asks to wait; every one that was sent has a result then. */
  private async sendOnce(waiting: readonly Sending[], leftMs: number): Promise<number | undefined> {
    const { options } = this
    const json = `{"items":[${waiting.map(({ keyed }) => keyed.json).join(',')}]}`
    const request = { kind: 'keyed', method: 'POST', path: '/batch', json } as const
    try {
      const timed = { ...options, timeoutMs: leftMs }
      const reply = await this.transport.send<'writeBatch'>(request, timed)
      for (const [at, one] of waiting.entries()) one.answered(reply.results[at])
      return replyOf(reply).retryAfterMs
    } catch (error) {
      if (!(error instanceof DossierError)) throw error
      for (const one of waiting) one.failed(error)
      // The transport has repeated it for as long as there was time.
      return Number.POSITIVE_INFINITY
    }
  }

  private isHeldBack(one: Sending): boolean {
    if (!this.stuck.has(one.keyed.entity)) return false
    const message = 'An earlier item of this entity may be stored later. This one was not sent.'
    one.failed(new DossierError({ code: 'not_sent', message, stored: 'no' }))
    return true
  }
}

/** One item, and what has become of it so far. */
class Sending {
  result: BatchResult | undefined
  private stored: 'no' | 'unknown' = 'no'

  constructor(readonly keyed: KeyedItem) {}

  answered(reply: ItemReply | undefined): void {
    const { item } = this.keyed
    if (reply === undefined) {
      const message = 'The reply to the batch has no result for this item.'
      this.failed(new DossierError({ code: 'unreadable_reply', message, stored: 'unknown' }))
    } else if ('error' in reply) {
      this.failed(new DossierError(errorParts(reply.error, reply.status, true)))
    } else {
      this.result = { item, ...reply }
    }
  }

  failed(error: DossierError): void {
    const failure = error.after(this.stored)
    this.stored = failure.stored
    this.result = { item: this.keyed.item, error: failure }
  }
}
