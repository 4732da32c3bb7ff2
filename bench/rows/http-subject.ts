import { z } from 'zod'
import type { LoadProcess } from '../load/load-process.js'
import type { Order } from '../load/order.js'
import { cpuOf, rssOf } from '../servers/process-figures.js'
import type { RunningServer } from '../servers/running-server.js'
import type { Slice, Subject } from './subject.js'

export interface HttpLoad {
  readonly kind: Order['kind']
  /** So many events a request; absent: one. */
  readonly batch?: number | undefined
  readonly connections: number
  /** Each request names one of so many entities, which are made first. */
  readonly named: number
}

/** What a store holds before the load; each entity is one of the facts. */
export interface Filled {
  readonly facts: number
  readonly entities: number
}

/** The form of a reply to an event, of the product and of each peer. */
const replyForm = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    id: z.uuid(),
    entity_external_id: z.literal('customer-0'),
    name: z.literal('look'),
    properties: z.strictObject({ n: z.literal(1) }),
    timestamp: z.iso.datetime({ precision: 3 }),
  }),
})

/** A server under HTTP load. Counts what was acknowledged; at its end that much must be kept. */
export class HttpSubject implements Subject {
  private acknowledged = 0
  private orders = 0

  private constructor(
    private readonly server: RunningServer,
    private readonly load: LoadProcess,
    private readonly wanted: HttpLoad,
    private readonly places: Order['named'],
  ) {}

  /** `filled`: what is in its store already; then the load names some of those entities. */
  static async prepare(
    server: RunningServer,
    load: LoadProcess,
    wanted: HttpLoad,
    filled?: Filled,
  ): Promise<HttpSubject> {
    const of = filled?.entities ?? wanted.named
    const places = { first: 0, count: Math.min(wanted.named, of), of }
    const subject = new HttpSubject(server, load, wanted, places)
    if (filled === undefined) await subject.makeEntities(wanted.named)
    else subject.acknowledged = filled.facts
    await subject.look()
    return subject
  }

  get name(): string {
    return this.server.name
  }

  async slice(seconds: number): Promise<Slice> {
    const { pid, databaseCpu } = this.server
    const before = { cpu: cpuOf(pid), databaseCpu: databaseCpu?.() }
    const outcome = await this.send({ seconds })
    const { milliseconds, p50, p99 } = outcome
    const facts = outcome.requests * this.factsOfRequest
    const each = (from: number | undefined, to: number | undefined) =>
      from === undefined || to === undefined ? undefined : (to - from) / facts
    return {
      facts,
      perSecond: (facts * 1_000) / milliseconds,
      p50,
      p99,
      cpu: each(before.cpu, cpuOf(pid)),
      databaseCpu: each(before.databaseCpu, databaseCpu?.()),
      loadCpu: outcome.cpu / facts,
    }
  }

  /** Sends so many requests, however long it takes. */
  async sendMany(requests: number): Promise<void> {
    await this.send({ requests })
  }

  rss(): number | undefined {
    return rssOf(this.server.pid)
  }

  async end(): Promise<void> {
    await this.server.end()
    const kept = this.server.stored?.()
    if (kept === undefined || kept === this.acknowledged) return
    throw new Error(
      `${this.name}: ${String(this.acknowledged)} facts were acknowledged, ${String(kept)} are kept`,
    )
  }

  private get factsOfRequest(): number {
    return this.wanted.batch ?? 1
  }

  private async send(until: Pick<Order, 'seconds' | 'requests'>) {
    this.orders += 1
    const prefix = `order-${String(this.orders)}-`
    const { kind, batch } = this.wanted
    return this.run({ ...this.orderOf(kind), batch, ...until, prefix }, this.factsOfRequest)
  }

  private async makeEntities(requests: number): Promise<void> {
    await this.run({ ...this.orderOf('entity'), requests, prefix: 'customer-' }, 1)
  }

  private orderOf(kind: Order['kind']): Omit<Order, 'prefix'> {
    const { origin, key } = this.server
    return { origin, key, connections: this.wanted.connections, kind, named: this.places }
  }

  /** A batch and a change are answered with 200, the others with 201. */
  private async run(order: Order, factsOfRequest: number) {
    const outcome = await this.load.run(order)
    const right = order.batch !== undefined || order.kind === 'patch' ? 200 : 201
    const { [right]: done = 0, ...wrong } = outcome.statuses
    this.acknowledged += done * factsOfRequest
    if (Object.keys(wrong).length > 0) {
      throw new Error(
        `${this.name} answered ${JSON.stringify(outcome.statuses)} instead of ${String(right)}`,
      )
    }
    return outcome
  }

  /** One reply is read as a caller reads it: a fast wrong answer is no answer. */
  private async look(): Promise<void> {
    const { origin, key } = this.server
    const reply = await fetch(`${origin}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"entity_external_id":"customer-0","name":"look","properties":{"n":1}}',
    })
    const text = await reply.text()
    if (reply.status !== 201 || !replyForm.safeParse(JSON.parse(text)).success) {
      throw new Error(`${this.name} answered ${String(reply.status)} ${text}`)
    }
    this.acknowledged += 1
  }
}
