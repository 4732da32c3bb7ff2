import { setTimeout as pause } from 'node:timers/promises'
import type { Ledger } from './ledger.js'
import { bytesOf, type LoadRequest } from './requests.js'
import { Latencies } from './latencies.js'
import { maxSilenceMs, Sender, type Exchange } from './sender.js'
import type { Target } from './target.js'

export interface LoadOptions {
  readonly ledger: Ledger
  readonly target: Target
  /** The number of senders whose requests have an idempotency key and are repeated until they are stored. */
  readonly keyed: number
  /** The number of senders that send each request once. */
  readonly unkeyed: number
  /** Returns the entity of a request. `turn` counts all requests. */
  readonly entityOf: (turn: number) => string
  /** Returns the entity that this request creates together with its first event. Undefined: it creates none. */
  readonly newEntity?: (turn: number) => string | undefined
  /** Returns the entity that this request upserts. Undefined: it records an event. */
  readonly upsertOf?: (turn: number) => string | undefined
  /** One in this many events with a key is voided after it is stored. Undefined: none. */
  readonly voidEvery?: number | undefined
  /** The time that a sender waits after a 5xx reply, in milliseconds. */
  readonly restMs: number
  /** Returns the source address of a sender. Undefined: the usual one. */
  readonly addressOf?: (sender: number) => string | undefined
  /** The most connections that are being opened at one time. Default: `usuallyOpenAtOnce`. */
  readonly openAtOnce?: number
}

/** Few connections are opened together, because the service accepts one per tick of its event loop. */
const usuallyOpenAtOnce = 64

/** Senders that send requests one after another until they are stopped. */
export class Load {
  accepted = new Latencies()
  refused = new Latencies()
  /** The number of replies by code. */
  readonly codes = new Map<string, number>()
  cuts = 0
  maxGapMs = 0
  maxAnswerMs = 0
  private stored = 0
  private lastAcknowledged = performance.now()
  private stopping = false
  private turn = 0
  private waiting: { readonly count: number; readonly reached: () => void }[] = []
  private storing: { readonly since: number; readonly stored: () => void }[] = []
  private readonly refusing: (() => void)[] = []
  private readonly heard = new Set<number>()
  private readonly hearing: (() => void)[] = []
  private readonly toOpen: (() => void)[] = []
  private readonly senders: Promise<void>[]

  constructor(private readonly options: LoadOptions) {
    const { keyed, unkeyed, target, addressOf } = options
    this.senders = Array.from({ length: keyed + unkeyed }, (_, at) =>
      this.run(at, new Sender(target, addressOf?.(at)), at < keyed),
    )
  }

  /** Resolves when this many more requests were acknowledged. */
  acknowledged(more: number): Promise<void> {
    const count = this.stored + more
    return new Promise((reached) => this.waiting.push({ count, reached }))
  }

  /** Resolves with the next 2xx reply to a request that is sent after this call. */
  nextStored(): Promise<void> {
    const since = performance.now()
    return new Promise((stored) => this.storing.push({ since, stored }))
  }

  /** Resolves with the next reply that is not 2xx. */
  nextRefusal(): Promise<void> {
    return new Promise((resolve) => this.refusing.push(resolve))
  }

  /** Resolves when every sender has got one more reply, so that the service has accepted all connections. */
  everySenderHeard(): Promise<void> {
    this.heard.clear()
    return new Promise((resolve) => this.hearing.push(resolve))
  }

  /** The number of senders with a reply since the last call of `everySenderHeard`. */
  get sendersHeard(): number {
    return this.heard.size
  }

  /** Discards the latencies measured so far. */
  measureFromHere(): void {
    this.accepted = new Latencies()
    this.refused = new Latencies()
  }

  /**
   * Stops creating requests. Resolves when the requests in flight have their replies, and requests with an
   * idempotency key their final outcome.
   */
  async stop(): Promise<void> {
    this.stopping = true
    for (const open of this.toOpen.splice(0)) open()
    await Promise.all(this.senders)
  }

  private async run(at: number, sender: Sender, keyed: boolean): Promise<void> {
    const { openAtOnce = usuallyOpenAtOnce } = this.options
    if (at >= openAtOnce) await new Promise<void>((open) => this.toOpen.push(open))
    while (!this.stopping) {
      for (const request of this.requestsOf((this.turn += 1), keyed)) {
        if ((await this.deliver(at, sender, request)) !== 'stored') break
      }
    }
    sender.hangUp()
  }

  /** Yields the requests of a turn. Each request needs the stored facts of the earlier requests. */
  private *requestsOf(turn: number, keyed: boolean): Generator<LoadRequest, void> {
    const { ledger, entityOf, newEntity, upsertOf, voidEvery } = this.options
    const upserted = upsertOf?.(turn)
    if (upserted !== undefined) {
      yield ledger.make('upsert', upserted, keyed)
      return
    }
    const created = newEntity?.(turn)
    if (created !== undefined) yield ledger.make('entity', created, keyed)
    const entity = created ?? entityOf(turn)
    if (!keyed || voidEvery === undefined || turn % voidEvery !== 0) {
      yield ledger.make('event', entity, keyed)
      return
    }
    const event = ledger.makeVoided(entity)
    yield event
    yield ledger.makeVoid(event)
  }

  /**
   * Sends a request. Repeats a request with an idempotency key until it is stored or the service does not return.
   * Resolves with the code of the last reply.
   */
  private async deliver(at: number, sender: Sender, request: LoadRequest): Promise<string> {
    const bytes = bytesOf(request, this.options.ledger.padding)
    for (;;) {
      const exchange = await sender.exchange(bytes)
      const said = this.record(exchange, request)
      if (exchange.kind !== 'unsent') this.notice(at)
      if (said === 'shutting_down') sender.leave()
      if (said === 'stored' || said === 'nonsense') return said
      // A request that was never sent does not count as an attempt.
      if (exchange.kind === 'unsent') {
        this.stopping ||= await this.options.target.isOver()
        if (this.stopping) return said
      } else {
        await this.rest()
        if (!request.keyed) return said
      }
    }
  }

  private async rest(): Promise<void> {
    if (this.options.restMs > 0) await pause(this.options.restMs)
  }

  private notice(at: number): void {
    if (this.heard.has(at)) return
    this.heard.add(at)
    this.toOpen.shift()?.()
    if (this.heard.size === this.senders.length) for (const heard of this.hearing.splice(0)) heard()
  }

  private record(exchange: Exchange, request: LoadRequest): string {
    const { ledger, target } = this.options
    if (exchange.kind === 'unsent') return 'unsent'
    this.maxAnswerMs = Math.max(this.maxAnswerMs, exchange.ms)
    if (exchange.kind === 'cut') {
      this.cuts += 1
      ledger.unanswered(request)
      if (exchange.ms >= 0.9 * maxSilenceMs) ledger.remark('a request had no answer in 30 s')
      else if (!target.cutsExpected) ledger.remark('a connection was cut without an answer')
      return 'cut'
    }
    const said = ledger.answered(request, exchange.reply)
    this.codes.set(said, (this.codes.get(said) ?? 0) + 1)
    if (said === 'stored') this.noticeStored(exchange)
    else this.noticeRefused(exchange.ms)
    return said
  }

  private noticeRefused(ms: number): void {
    this.refused.add(ms)
    for (const resolve of this.refusing.splice(0)) resolve()
  }

  private noticeStored({ begun, ms }: { readonly begun: number; readonly ms: number }): void {
    const now = performance.now()
    this.maxGapMs = Math.max(this.maxGapMs, now - this.lastAcknowledged)
    this.lastAcknowledged = now
    this.accepted.add(ms)
    this.stored += 1
    const later = this.storing.filter(({ since }) => since > begun)
    for (const { since, stored } of this.storing) if (since <= begun) stored()
    this.storing = later
    if (this.waiting.length === 0) return
    const reached = this.waiting.filter(({ count }) => count <= this.stored)
    this.waiting = this.waiting.filter(({ count }) => count > this.stored)
    for (const waiter of reached) waiter.reached()
  }
}
