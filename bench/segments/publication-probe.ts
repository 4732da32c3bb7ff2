import { z } from 'zod'
import type { Scope } from '../scope.js'
import type { RunningServer } from '../servers/running-server.js'
import { changing } from './change-probe.js'
import { PublishedFeed } from './published-feed.js'

const entity = 'customer-2'
const replyForm = z.object({ data: z.object({ id: z.string() }) })

/**
 * From the reply to an event that turns whether its entity is in a segment, until the fact that publishes
 * it has come over the feed. One after the other.
 */
export class PublicationProbe {
  /** When the fact came that one event caused, by the event's id. */
  private readonly published = new Map<string, number>()
  private isIn = false

  constructor(
    private readonly server: RunningServer,
    private readonly scope: Scope,
  ) {}

  /** Records and waits, while `work` goes on. In milliseconds, one for each event, and what it gave. */
  async during<T>(work: () => Promise<T>): Promise<{ waits: readonly number[]; result: T }> {
    const feed = await PublishedFeed.open(this.server, this.scope, ({ data }) => {
      const { factId } = data.cause
      if (data.segment === changing.key && factId !== undefined) {
        this.published.set(factId, performance.now())
      }
    })
    const ending = new AbortController()
    const working = work().finally(() => {
      ending.abort()
    })
    const [result, waits] = await Promise.all([working, this.probe(feed, ending.signal)])
    feed.close()
    return { waits, result }
  }

  private async probe(feed: PublishedFeed, ending: AbortSignal): Promise<readonly number[]> {
    const waits: number[] = []
    while (!ending.aborted) {
      this.isIn = !this.isIn
      const id = await this.record(this.isIn)
      const replied = performance.now()
      await feed.until(() => this.published.has(id))
      // It may come before the reply to its event.
      waits.push(Math.max(0, (this.published.get(id) ?? 0) - replied))
    }
    return waits
  }

  private async record(isIn: boolean): Promise<string> {
    const { name, origin, key } = this.server
    const event = { entity_external_id: entity, name: 'change', properties: { in: isIn } }
    const reply = await fetch(`${origin}/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${name} answered ${String(reply.status)} ${text}`)
    return replyForm.parse(JSON.parse(text)).data.id
  }
}
