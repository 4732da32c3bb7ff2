import type { StartedService } from '../service-process.js'

interface Written {
  readonly position: number
  readonly n: number
}

interface Seen extends Omit<Written, 'n'> {
  /** The number that was read. Undefined: the entity did not exist. */
  readonly n: number | undefined
  readonly entity: string
  /**
   * Whether the entity is a member of the segment of even numbers. Undefined while that segment is being built.
   */
  readonly isEven: boolean | undefined
  /** The position that was sent with the read. */
  readonly wanted: number
}

interface Profile {
  readonly external_id: string
  readonly properties: { readonly n: number }
  readonly segments: readonly { readonly key: string }[]
  readonly segments_building?: readonly string[]
}

/** Padding that makes a profile fill ten pages, so that the WAL soon grows enough for a WAL checkpoint. */
const pad = 'x'.repeat(40_000)

/**
 * Writes numbers to entities of a service and reads them back. Checks that each answer is correct for the position
 * that it reports.
 */
export class ReadOracle {
  latest = 0
  /** The numbers of answered and of refused reads so far. */
  answered = 0
  refused = 0
  private readonly written = new Map<string, Written[]>()
  private readonly seen: Seen[] = []
  private readonly loops: Promise<void>[] = []
  private isEnding = false

  constructor(
    private service: StartedService,
    private readonly entities: readonly string[],
  ) {}

  async begin(): Promise<void> {
    for (const entity of this.entities) await this.write(entity, { n: 0, even: true, pad }, true)
    const rule = { property: '/even', is: { eq: true } }
    const segment = { title: 'Even', kind: 'rule', rule }
    const reply = await this.send('PUT', '/segments/even', segment)
    if (reply.status !== 201) throw new Error(`the segment was not defined: ${await reply.text()}`)
    while (!(await this.read(this.entities[0] ?? '', Number(reply.headers.get('position')), 10)));
  }

  /** Writes and reads until `rest`. */
  load(readers: number): void {
    this.isEnding = false
    this.loops.push(this.writeOn())
    for (let n = 0; n < readers; n += 1) this.loops.push(this.readOn(n))
  }

  async rest(): Promise<void> {
    this.isEnding = true
    await Promise.all(this.loops.splice(0))
  }

  /** Sets the service. May be called only after `rest`. */
  use(service: StartedService): void {
    this.service = service
  }

  /** Resolves when this many more reads were answered or refused. */
  async heard(reads: number): Promise<void> {
    const before = this.answered + this.refused
    while (this.answered + this.refused < before + reads) {
      await this.read(this.entities[0] ?? '', 0, 0)
    }
  }

  /** Returns whether a read of the latest position succeeds within 30 s. */
  async recovers(): Promise<boolean> {
    for (let times = 0; times < 3; times += 1) {
      if (await this.read(this.entities[0] ?? '', this.latest, 10)) return true
    }
    return false
  }

  async readAll(): Promise<void> {
    for (const entity of this.entities) await this.read(entity, this.latest, 10)
  }

  /** Describes all wrong answers. May be called only after `rest`. */
  wrongAnswers(): readonly string[] {
    return this.seen.flatMap((seen) => {
      const { entity, position, n, isEven, wanted } = seen
      const known = this.written.get(entity)?.findLast((one) => one.position <= position)
      const faults = [
        known?.n === n ? [] : [`n is ${String(n)}, and not ${String(known?.n)}`],
        isEven === undefined || isEven === (Number(n) % 2 === 0) ? [] : ['the segment is wrong'],
        position >= wanted ? [] : [`${String(wanted)} was wanted`],
      ].flat()
      return faults.map((fault) => `${entity} at ${String(position)}: ${fault}`)
    })
  }

  private async writeOn(): Promise<void> {
    while (!this.isEnding) {
      for (const entity of this.entities) {
        const last = this.written.get(entity)?.at(-1)?.n ?? 0
        await this.write(entity, { n: last + 1, even: (last + 1) % 2 === 0 }, false)
      }
    }
  }

  private async write(
    entity: string,
    set: { readonly n: number; readonly even: boolean; readonly pad?: string },
    upsert: boolean,
  ): Promise<void> {
    const reply = await this.send('PATCH', `/entities/${entity}`, { set, upsert })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`a write was answered ${String(reply.status)}: ${text}`)
    this.latest = Number(reply.headers.get('position'))
    const list = this.written.get(entity) ?? []
    this.written.set(entity, list)
    list.push({ position: this.latest, n: set.n })
  }

  private async readOn(reader: number): Promise<void> {
    for (let turn = reader; !this.isEnding; turn += 1) {
      const entity = this.entities[turn % this.entities.length] ?? ''
      const wanted = turn % 3 === 0 ? 0 : this.latest
      await this.read(entity, wanted, turn % 3 === 1 ? 0 : 1)
    }
  }

  private async read(entity: string, wanted: number, waitS: number): Promise<boolean> {
    const reply = await fetch(`${this.service.origin}/entities/${entity}`, {
      headers: {
        authorization: `Bearer ${this.service.key}`,
        prefer: `wait=${String(waitS)}`,
        ...(wanted === 0 ? {} : { position: String(wanted) }),
      },
    })
    const text = await reply.text()
    if (reply.status === 503) {
      this.refused += 1
      return false
    }
    this.answered += 1
    const position = Number(reply.headers.get('position'))
    if (reply.status === 404) {
      this.seen.push({ entity, position, n: undefined, isEven: undefined, wanted })
      return true
    }
    if (reply.status !== 200)
      throw new Error(`a read was answered ${String(reply.status)}: ${text}`)
    const { data } = JSON.parse(text) as { data: Profile }
    const isDefined = position > this.entities.length && data.segments_building === undefined
    const isEven = isDefined ? data.segments.some(({ key }) => key === 'even') : undefined
    this.seen.push({ entity, position, n: data.properties.n, isEven, wanted })
    return true
  }

  private send(method: string, path: string, body: object): Promise<Response> {
    return fetch(`${this.service.origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.service.key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
  }
}
