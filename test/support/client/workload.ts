import { Dossier, replyOf, type BatchItem } from 'dossier/client'

/**
 * The work that a program does with the client while connections and the service break. Also runs in browsers.
 */
export interface Workload {
  readonly url: string
  readonly key: string
  /** The number of writers. Each has its own entity. */
  readonly writers: number
  /** The number of writes of each writer. A read follows each write. */
  readonly writes: number
  readonly batchItems: number
}

export interface WorkloadOutcome {
  readonly writes: number
  readonly reads: number
  readonly batchItems: number
  readonly facts: number
  /** The number of times that the stream of facts broke and resumed. */
  readonly breaks: number
  /** Broken promises: facts that were lost, duplicated, stale or out of order, and errors. */
  readonly faults: readonly string[]
}

const batchEntities = 50

/** Runs the workload. The store must be empty. */
export async function runWorkload(workload: Workload): Promise<WorkloadOutcome> {
  const run = new WorkloadRun(workload)
  const following = run.follow()
  await Promise.all([
    ...Array.from({ length: workload.writers }, (_, at) => run.noted(() => run.write(at))),
    run.noted(() => run.sendBatch()),
  ])
  run.isWritten()
  await following
  await run.noted(() => run.checkBatch())
  return run.outcome
}

class WorkloadRun {
  private readonly dossier: Dossier
  private readonly faults: string[] = []
  private readonly followed: string[] = []
  private readonly recorded = new Set<string>()
  private readonly stop = new AbortController()
  private reads = 0
  private writes = 0
  private stored = 0
  private breaks = 0
  private isAllWritten = false

  constructor(private readonly workload: Workload) {
    const { url, key } = workload
    this.dossier = new Dossier({ url, key, timeoutMs: 600_000 })
  }

  get outcome(): WorkloadOutcome {
    const { writes, reads, stored, followed, breaks, faults } = this
    return { writes, reads, batchItems: stored, facts: followed.length, breaks, faults }
  }

  async noted(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.faults.push(String(error))
    }
  }

  /** Increments a counter in an entity, as an event and as a property. Reads the entity after each write. */
  async write(at: number): Promise<void> {
    const { entities } = this.dossier
    const id = `writer ${String(at)}`
    await entities.update(id, { set: { n: 0 }, upsert: true })
    let [events, property] = [0, 0]
    for (let n = 1; n <= this.workload.writes; n += 1) {
      if (n % 3 === 0) {
        await entities.update(id, { set: { n } })
        property = n
      } else {
        const { id: event } = await entities.record(id, { name: 'step', properties: { n } })
        this.recorded.add(event)
        events += 1
      }
      this.writes += 1
      await this.read(id, events, property)
    }
  }

  /** Checks that a read returns exactly the written values. No other writer writes to this entity. */
  private async read(id: string, events: number, property: number): Promise<void> {
    const seen = BigInt(this.dossier.position ?? '0')
    const profile = await this.dossier.entities.get(id)
    this.reads += 1
    const { event_count: count, properties } = profile
    const position = BigInt(replyOf(profile).position ?? '-1')
    if (position < seen) this.faults.push(`${id}: a read went back to ${String(position)}`)
    if (count !== events || properties['n'] !== property) {
      const wanted = `${String(events)} events, n ${String(property)}`
      this.faults.push(
        `${id}: ${String(count)} events, n ${JSON.stringify(properties['n'])}, not ${wanted}`,
      )
    }
  }

  async sendBatch(): Promise<void> {
    let next = 0
    for await (const { item, error } of this.dossier.batch(this.items())) {
      const n = item.op === 'record_event' ? item.properties?.['n'] : undefined
      if (n !== next) this.faults.push(`result ${String(next)} is that of ${JSON.stringify(n)}`)
      if (error !== undefined) this.faults.push(`item ${String(next)}: ${error.code}`)
      else this.stored += 1
      next += 1
    }
  }

  private *items(): Generator<BatchItem> {
    for (let n = 0; n < this.workload.batchItems; n += 1) {
      const entity_external_id = `batch ${String(n % batchEntities)}`
      yield {
        op: 'record_event',
        entity_external_id,
        name: 'item',
        properties: { n },
        upsert: true,
      }
    }
  }

  /** Checks that each entity has its items once and in order. */
  async checkBatch(): Promise<void> {
    for (let at = 0; at < Math.min(batchEntities, this.workload.batchItems); at += 1) {
      const found: unknown[] = []
      const query = { by: 'recorded', order: 'asc', limit: 1_000 } as const
      for await (const event of this.dossier.entities.events(`batch ${String(at)}`, query)) {
        found.push(event.properties['n'])
      }
      const wanted = []
      for (let n = at; n < this.workload.batchItems; n += batchEntities) wanted.push(n)
      if (found.join() !== wanted.join()) this.faults.push(`batch ${String(at)}: ${found.join()}`)
    }
  }

  isWritten(): void {
    this.isAllWritten = true
    // Stores one more fact, so that the stream can detect the end.
    void this.noted(async () => {
      await this.dossier.entities.create('the end')
    })
  }

  /** Checks that every fact arrives once and in order, through all breaks. */
  async follow(): Promise<void> {
    let last = -1n
    const onBreak = () => {
      this.breaks += 1
    }
    await this.noted(async () => {
      for await (const fact of this.dossier.facts({ signal: this.stop.signal, onBreak })) {
        const position = BigInt(fact.position)
        if (position <= last) this.faults.push(`fact ${fact.position} came again`)
        last = position
        if (fact.type === 'EventRecorded') this.followed.push(fact.id)
        if (fact.type === 'EntityCreated' && fact.data.external_id === 'the end') break
      }
    })
    if (!this.isAllWritten) this.faults.push('the stream ended early')
    const ids = new Set(this.followed)
    const events = this.recorded.size + this.stored
    if (ids.size !== this.followed.length) this.faults.push('a fact came twice')
    if (ids.size !== events)
      this.faults.push(`${String(ids.size)} events came of ${String(events)}`)
    for (const id of this.recorded) if (!ids.has(id)) this.faults.push(`event ${id} did not come`)
  }
}
