import { z } from 'zod'
import type { LoadProcess } from '../load/load-process.js'
import { rssOf } from '../servers/process-figures.js'
import type { RunningServer } from '../servers/running-server.js'
import { httpSlice, onlyStatus } from './http-slice.js'
import { HttpSubject, type Filled, type HttpLoad } from './http-subject.js'
import type { Slice, Subject } from './subject.js'

/** The number of readers. Each waits for its answer before it sends the next request. */
const connections = 64
const eventsOfBatch = 500

export interface ReadLoad {
  readonly kind: 'profile' | 'timeline'
  /** The number of entities that the requests are about. */
  readonly named: number
}

/** The data to read: this many events of each entity, or an already filled store. */
export type Content = { readonly eventsEach: number } | Filled

/** The required members of a profile and of a page, from the product and from each peer. */
const replyForms = {
  profile: z.object({
    status: z.literal('success'),
    data: z.object({ external_id: z.literal('customer-0'), properties: z.object({}) }),
  }),
  timeline: z.object({
    status: z.literal('success'),
    data: z.object({
      items: z.array(z.object({ id: z.uuid(), name: z.string() })).min(1),
    }),
  }),
}

const targets = {
  profile: '/entities/customer-0',
  timeline: '/entities/customer-0/events?limit=100',
}

/** A server that is read from, after it was filled over HTTP or from a file. */
export class ReadSubject implements Subject {
  private constructor(
    private readonly server: RunningServer,
    private readonly load: LoadProcess,
    private readonly wanted: ReadLoad,
    private readonly filled: HttpSubject,
    private readonly entities: number,
  ) {}

  /** Prepares the server. `settled` resolves when everything written can be read. */
  static async prepare(
    server: RunningServer,
    load: LoadProcess,
    wanted: ReadLoad,
    content: Content,
    settled: () => Promise<void>,
  ): Promise<ReadSubject> {
    const { named } = wanted
    const writing: HttpLoad = { kind: 'event', connections: 4, batch: eventsOfBatch, named }
    const isFilled = 'facts' in content
    const filled = await HttpSubject.prepare(server, load, writing, isFilled ? content : undefined)
    if (!isFilled && content.eventsEach > 0) {
      await filled.sendMany(Math.ceil((named * content.eventsEach) / eventsOfBatch))
    }
    await settled()
    const entities = isFilled ? content.entities : named
    const subject = new ReadSubject(server, load, wanted, filled, entities)
    await subject.look()
    return subject
  }

  get name(): string {
    return this.server.name
  }

  slice(seconds: number): Promise<Slice> {
    const { server, wanted, entities: of } = this
    const { origin, key } = server
    const named = { first: 0, count: Math.min(wanted.named, of), of }
    const order = { origin, key, connections, seconds, kind: wanted.kind, named, prefix: '' }
    const send = async () => {
      const outcome = await this.load.run(order)
      onlyStatus(server, 200, outcome)
      return outcome
    }
    return httpSlice(server, { factsOfRequest: 1, send })
  }

  rss(): number | undefined {
    return rssOf(this.server.pid)
  }

  end(): Promise<void> {
    return this.filled.end()
  }

  private async look(): Promise<void> {
    const { server, wanted } = this
    const headers = { authorization: `Bearer ${server.key}` }
    const reply = await fetch(server.origin + targets[wanted.kind], { headers })
    const text = await reply.text()
    if (reply.status !== 200 || !replyForms[wanted.kind].safeParse(JSON.parse(text)).success) {
      throw new Error(`${server.name} answered ${String(reply.status)} ${text}`)
    }
  }
}
