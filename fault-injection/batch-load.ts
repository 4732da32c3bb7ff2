import type { Ledger } from './ledger.js'
import { repliesInBatch } from './replies.js'
import { batchBytesOf, type LoadRequest } from './requests.js'
import { Sender, type Exchange } from './sender.js'
import type { Target } from './target.js'

export interface BatchLoadOptions {
  readonly ledger: Ledger
  readonly target: Target
  readonly senders: number
  /** The number of items per batch. */
  readonly items: number
  /** Returns the entity of an item. `n` counts all items. */
  readonly entityOf: (n: number) => string
  /** Returns a new external id for an item that creates an entity. */
  readonly newEntity: () => string
  /** One in this many events is voided in the next batch of its sender. */
  readonly voidEvery: number
}

/** One in this many items creates an entity. */
const creationEvery = 10

/**
 * Sends batches whose items have idempotency keys. A sender repeats the whole batch until all items are stored.
 */
export class BatchLoad {
  /** The number of batches without a response. */
  cuts = 0
  private count = 0
  private stored = 0
  private stopping = false
  private waiting: { readonly count: number; readonly reached: () => void }[] = []
  private readonly senders: Promise<void>[]

  constructor(private readonly options: BatchLoadOptions) {
    const { senders, target } = options
    this.senders = Array.from({ length: senders }, () => this.run(new Sender(target)))
  }

  /** Resolves when the given number of further batches is stored. */
  acknowledged(more: number): Promise<void> {
    const count = this.stored + more
    return new Promise((reached) => this.waiting.push({ count, reached }))
  }

  /** Stops sending new batches. Resolves when the current batches are stored. */
  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all(this.senders)
  }

  private async run(sender: Sender): Promise<void> {
    const { ledger } = this.options
    let events: readonly LoadRequest[] = []
    while (!this.stopping) {
      const voids = events.map((event) => ledger.makeVoid(event))
      const batch = [...voids, ...this.batch()]
      const isStored = await this.deliver(sender, batch)
      events = isStored ? batch.filter(({ isVoided }) => isVoided) : []
    }
    sender.hangUp()
  }

  private batch(): readonly LoadRequest[] {
    const { ledger, items, entityOf, newEntity, voidEvery } = this.options
    return Array.from({ length: items }, () => {
      const n = (this.count += 1)
      if (n % creationEvery === 0) return ledger.make('entity', newEntity(), true)
      return n % voidEvery === 0
        ? ledger.makeVoided(entityOf(n))
        : ledger.make('event', entityOf(n), true)
    })
  }

  /** Sends a batch until it is over. Resolves with true when all items are stored. */
  private async deliver(sender: Sender, requests: readonly LoadRequest[]): Promise<boolean> {
    const { ledger, target } = this.options
    const bytes = batchBytesOf(requests, ledger.padding)
    for (;;) {
      const exchange = await sender.exchange(bytes)
      if (exchange.kind === 'unsent') {
        if (await target.isOver()) return false
        continue
      }
      const outcome = this.outcomeOf(exchange, requests)
      if (outcome !== undefined) return outcome === 'stored'
    }
  }

  /** Records the response. Returns undefined when the batch must be repeated. */
  private outcomeOf(
    exchange: Exclude<Exchange, { kind: 'unsent' }>,
    requests: readonly LoadRequest[],
  ): 'stored' | 'invalid' | undefined {
    const { ledger, target } = this.options
    if (exchange.kind === 'cut') {
      this.cuts += 1
      for (const request of requests) ledger.unanswered(request)
      if (!target.cutsExpected) ledger.remark('a connection was cut without an answer')
      return undefined
    }
    const replies = repliesInBatch(exchange.reply, requests.length)
    if (replies === undefined) {
      for (const request of requests) ledger.unanswered(request)
      ledger.remark(`a batch was answered ${String(exchange.reply.status)}, and not as batches are`)
      return 'invalid'
    }
    const said = replies.map((reply, at) => {
      const request = requests[at]
      return request === undefined ? 'nonsense' : ledger.answered(request, reply)
    })
    if (said.every((one) => one === 'stored')) {
      this.noticeStored()
      return 'stored'
    }
    return exchange.reply.status === 200 || said.includes('nonsense') ? 'invalid' : undefined
  }

  private noticeStored(): void {
    this.stored += 1
    const reached = this.waiting.filter(({ count }) => count <= this.stored)
    this.waiting = this.waiting.filter(({ count }) => count > this.stored)
    for (const waiter of reached) waiter.reached()
  }
}
