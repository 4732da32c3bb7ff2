import { z } from 'zod'
import type { RunningServer } from '../servers/running-server.js'

const minuteMs = 60_000
const itemsOfBatch = 1_000

/** Who is in it leaves a minute after the visit. */
export const visited = { event: 'visit', within: '1m' }

const countsForm = z.object({ data: z.object({ counts: z.object({ stored: z.int() }) }) })

/** Entities that visit all at once, by requests of a thousand, one after the other. */
export class Visitors {
  constructor(
    private readonly server: RunningServer,
    private readonly prefix: string,
    readonly count: number,
  ) {}

  async create(): Promise<void> {
    await this.send((id) => ({ op: 'create_entity', external_id: id, properties: {} }))
  }

  /** Visits that count until an instant, in milliseconds since 1970: at most a minute from now. */
  async visitUntil(instant: number): Promise<void> {
    const its = { name: 'visit', occurred_at: new Date(instant - minuteMs).toISOString() }
    await this.send((id) => ({ op: 'record_event', entity_external_id: id, ...its }))
  }

  private async send(itemOf: (id: string) => object): Promise<void> {
    for (let from = 0; from < this.count; from += itemsOfBatch) {
      const length = Math.min(itemsOfBatch, this.count - from)
      const items = Array.from({ length }, (_, at) => itemOf(`${this.prefix}${String(from + at)}`))
      const { name, origin, key } = this.server
      const reply = await fetch(`${origin}/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ items }),
      })
      const text = await reply.text()
      const { data } = countsForm.safeParse(JSON.parse(text))
      if (data?.data.counts.stored !== length) {
        throw new Error(`${name} answered ${String(reply.status)} ${text.slice(0, 1_000)}`)
      }
    }
  }
}
