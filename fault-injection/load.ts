import { setTimeout as pause } from 'node:timers/promises'
import type { Ledger } from './ledger.js'
import { bytesOf, type LoadRequest } from './requests.js'
import { Latencies } from './latencies.js'
import { maxSilenceMs, Sender, type Exchange } from './sender.js'
import type { Target } from './target.js'

export interface LoadOptions {
  readonly ledger: Ledger
  readonly target: Target
  /** How many senders put a key on each request, and send it again until it is stored. */
  readonly keyed: number
  /** How many senders send each request once. */
  readonly unkeyed: number
  /** The entity that a request belongs to. */
  readonly entityOf: (turn: number) => string
  /** The entity that a turn creates, to record its first event; undefined: it creates none. */
  readonly newEntity?: (turn: number) => string | undefined
  /** The entity that a turn upserts; undefined: it records an event. */
  readonly upsertOf?: (turn: number) => string | undefined
  /** How long a sender rests after a 5xx; 0: not at all. */
  readonly restMs: number
  /** The source address of a sender; the usual one where it says nothing. */
  readonly addressOf?: (sender: number) => string | undefined
  /** So many connections at most wait to be taken in; 64 unless given. */
  readonly openAtOnce?: number
}

/** The service takes one connection in a turn of its event loop. */
const usuallyOpenAtOnce = 64

/** Senders that send one request after the other until they are told to stop. */
export class Load {
  accepted = new Latencies()
  refused = new Latencies()
  /** Answers by code. */
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

  /** Resolves when so many more were acknowledged. */
  acknowledged(more: number): Promise<void> {
    const count = this.stored + more
    return new Promise((reached) => this.waiting.push({ count, reached }))
  }

  /** Resolves with the next 2xx to a request that was not sent yet: others may be on their way. */
  nextStored(): Promise<void> {
    const since = performance.now()
    return new Promise((stored) => this.storing.push({ since, stored }))
  }

  /** Resolves with the next answer that is no 2xx. */
  nextRefusal(): Promise<void> {
    return new Promise((resolve) => this.refusing.push(resolve))
  }

  /** Resolves when every sender was answered once more: the service has taken its connection. */
  everySenderHeard(): Promise<void> {
    this.heard.clear()
    return new Promise((resolve) => this.hearing.push(resolve))
  }

  /** Senders that were answered since `everySenderHeard` was asked. */
  get sendersHeard(): number {
    return this.heard.size
  }

  /** Forgets how long the answers took until now. */
  measureFromHere(): void {
    this.accepted = new Latencies()
    this.refused = new Latencies()
  }

  /** Makes no more requests; resolves when those under way are answered, keyed ones for good. */
  async stop(): Promise<void> {
    this.stopping = true
    for (const open of this.toOpen.splice(0)) open()
    await Promise.all(this.senders)
  }

  private async run(at: number, sender: Sender, keyed: boolean): Promise<void> {
    const { ledger, entityOf, newEntity, upsertOf, openAtOnce = usuallyOpenAtOnce } = this.options
    if (at >= openAtOnce) await new Promise<void>((open) => this.toOpen.push(open))
    while (!this.stopping) {
      const turn = (this.turn += 1)
      const upserted = upsertOf?.(turn)
      if (upserted !== undefined) {
        await this.deliver(at, sender, ledger.make('upsert', upserted, keyed))
        continue
      }
      const created = newEntity?.(turn)
      if (created !== undefined) {
        const said = await this.deliver(at, sender, ledger.make('entity', created, keyed))
        if (said !== 'stored') continue
      }
      const entity = created ?? entityOf(turn)
      await this.deliver(at, sender, ledger.make('event', entity, keyed))
    }
    sender.hangUp()
  }

  /**
   * Sends it; under a key until it is stored, or until the service is gone for good. Resolves with
   * the last that was said.
   */
  private async deliver(at: number, sender: Sender, request: LoadRequest): Promise<string> {
    const bytes = bytesOf(request, this.options.ledger.padding)
    for (;;) {
      const exchange = await sender.exchange(bytes)
      const said = this.record(exchange, request)
      if (exchange.kind !== 'unsent') this.notice(at)
      if (said === 'shutting_down') sender.leave()
      if (said === 'stored' || said === 'nonsense') return said
      // What never left is no attempt.
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
