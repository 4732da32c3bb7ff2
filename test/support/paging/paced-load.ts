import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { Random } from '../../../fault-injection/random.js'
import { oneOf } from '../one-of.js'
import type { StartedService } from '../service-process.js'

const batchSize = 50
/** 1,000 items a second. */
const batchEveryMs = 50
/** Batches under way at most: a busy machine is given fewer a second, and not ever more at once. */
const maxUnderWay = 4
/** Events occurred within these seconds, to the second: many at the same instant. */
const spreadSeconds = 600

const reply = z.object({
  data: z.object({ results: z.array(z.object({ position: z.string() })) }),
})

/** Sends a batch every 50 ms: an entity's creation, a change of properties, and events. */
export class PacedLoad {
  /** The positions that were acknowledged. */
  readonly acknowledged: number[] = []
  /** The highest of them. */
  position = 0
  readonly entities: readonly string[]
  /** Whether more is to come. */
  isRunning = true
  private serial = 0
  private readonly random: Random

  constructor(
    private readonly service: StartedService,
    seed: number,
    entityCount: number,
  ) {
    this.random = new Random(seed)
    this.entities = Array.from({ length: entityCount }, (_, at) => `customer-${String(at)}`)
  }

  /** The entities, with some events each. */
  async begin(): Promise<void> {
    await this.send(this.entities.map((id) => ({ op: 'create_entity', external_id: id })))
    await this.send(this.entities.flatMap(() => this.items()))
  }

  /** Resolves when so many more are acknowledged. */
  async run(count: number): Promise<void> {
    try {
      await this.sendPaced(count)
    } finally {
      this.isRunning = false
    }
  }

  private async sendPaced(count: number): Promise<void> {
    const underWay = new Set<Promise<void>>()
    let due = performance.now()
    for (let sentItems = 0; sentItems < count; sentItems += batchSize) {
      const sent = this.send(this.items()).finally(() => underWay.delete(sent))
      underWay.add(sent)
      if (underWay.size === maxUnderWay) await Promise.race(underWay)
      due = Math.max(due + batchEveryMs, performance.now() - batchEveryMs)
      await pause(Math.max(0, due - performance.now()))
    }
    await Promise.all(underWay)
  }

  private items(): readonly object[] {
    const created = { op: 'create_entity', external_id: `new-${String(this.next())}` }
    const set = { serial: this.next() }
    const updated = { op: 'update_entity', external_id: oneOf(this.random, this.entities), set }
    const events = Array.from({ length: batchSize - 2 }, () => this.event())
    return [created, updated, ...events]
  }

  /** Half of them say when they occurred. */
  private event(): object {
    const event = {
      op: 'record_event',
      entity_external_id: oneOf(this.random, this.entities),
      name: 'login',
    }
    if (this.random.next() < 0.5) return event
    const seconds = Math.floor(Date.now() / 1_000) - this.random.between(1, spreadSeconds)
    return { ...event, occurred_at: new Date(seconds * 1_000).toISOString() }
  }

  private async send(items: readonly object[]): Promise<void> {
    const response = await this.service.post('/batch', { items })
    const body: unknown = await response.json()
    if (response.status !== 200) throw new Error(JSON.stringify(body))
    for (const { position } of reply.parse(body).data.results) {
      this.acknowledged.push(Number(position))
      this.position = Math.max(this.position, Number(position))
    }
  }

  private next(): number {
    this.serial += 1
    return this.serial
  }
}
