import { z } from 'zod'
import type { LoadProcess } from '../load/load-process.js'
import type { Order } from '../load/order.js'
import { rssOf } from '../servers/process-figures.js'
import type { RunningServer } from '../servers/running-server.js'
import { httpSlice, onlyStatus } from './http-slice.js'
import type { Slice, Subject } from './subject.js'

export interface HttpLoad {
  readonly kind: Order['kind']
  /** The number of events per request. Absent: one. */
  readonly batch?: number | undefined
  readonly connections: number
  /** The number of entities that the requests are about. They are created first. */
  readonly named: number
  /** Resolves when the work that a slice left behind is done. The CPU time of that work counts for the slice. */
  readonly settle?: (() => Promise<void>) | undefined
}

/** The contents of a store before the load. `facts` includes the creation of each entity. */
export interface Filled {
  readonly facts: number
  readonly entities: number
}

/** The format of the reply to an event, from the product and from each peer. */
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

/** A server under HTTP load. Counts the acknowledged facts, and checks at the end that all of them are stored. */
export class HttpSubject implements Subject {
  private acknowledged = 0
  private orders = 0

  private constructor(
    private readonly server: RunningServer,
    private readonly load: LoadProcess,
    private readonly wanted: HttpLoad,
    private readonly places: Order['named'],
  ) {}

  /** Prepares the server. With `filled`, the store already has contents, and the load uses the stored entities. */
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

  slice(seconds: number): Promise<Slice> {
    return this.sliceOf({ seconds })
  }

  /** Runs a slice with at most this many requests per second. */
  sliceAt(seconds: number, perSecond: number): Promise<Slice> {
    return this.sliceOf({ seconds, perSecond })
  }

  /** Sends this many requests, however long that takes. */
  async sendMany(requests: number): Promise<void> {
    await this.send({ requests })
  }

  /** Counts facts that another load stored in this server. */
  tookMore(facts: number): void {
    this.acknowledged += facts
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

  private sliceOf(until: Pick<Order, 'seconds' | 'perSecond'>): Promise<Slice> {
    const { factsOfRequest, wanted } = this
    const send = () => this.send(until)
    return httpSlice(this.server, { factsOfRequest, send, settle: wanted.settle })
  }

  private async send(until: Pick<Order, 'seconds' | 'requests' | 'perSecond'>) {
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

  /** Runs an order. The expected status is 200 for a batch, otherwise 201. */
  private async run(order: Order, factsOfRequest: number) {
    const outcome = await this.load.run(order)
    const right = order.batch !== undefined ? 200 : 201
    this.acknowledged += onlyStatus(this.server, right, outcome) * factsOfRequest
    return outcome
  }

  /** Checks one reply completely, because a fast wrong answer would be worthless. */
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
