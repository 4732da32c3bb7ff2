import { isDeepStrictEqual } from 'node:util'
import type { RawReply } from '../test/support/raw-connection.js'
import type { FoundFact } from './found-facts.js'
import type { Random } from './random.js'
import { codeIn, factsOf, readFact, readReply, type Said } from './replies.js'
import { propertiesOf, type LoadRequest } from './requests.js'

interface Entry {
  readonly request: LoadRequest
  acknowledged: Said | undefined
  /** Whether an attempt had no response or an unknown outcome. The request may then be stored. */
  mayBeStored: boolean
  facts: number
}

/** The acknowledged events of an entity, and the highest position of its facts. */
export interface Readable {
  readonly entity: string
  readonly serials: readonly number[]
  readonly position: bigint
}

export interface Account {
  readonly tried: number
  readonly acknowledged: number
  readonly found: number
  readonly doubled: number
  readonly lost: number
  readonly wrong: number
  readonly faults: readonly string[]
}

/** The most faults of one kind that are reported individually. */
const maxOfAKind = 3

const certainlyNot = new Set([
  'store_unavailable',
  'overloaded',
  'clock_untrusted',
  'shutting_down',
])

/** Records every request with its responses, and compares them with the stored facts. */
export class Ledger {
  private readonly entries: Entry[] = []
  private readonly faults: string[] = []
  private readonly told = new Map<string, number>()
  private readonly readable = new Map<string, Readable>()
  private wrong = 0

  /** `padding` is added to every request to make it larger. */
  constructor(readonly padding = '') {}

  /** Creates a new request. */
  make(kind: LoadRequest['kind'], entity: string, keyed: boolean): LoadRequest {
    const request = { serial: this.entries.length, kind, entity, keyed }
    this.entries.push({ request, acknowledged: undefined, mayBeStored: false, facts: 0 })
    return request
  }

  /** Records that a request had no response. */
  unanswered({ serial }: LoadRequest): void {
    this.entry(serial).mayBeStored = true
  }

  /** Records the response to a request, and returns its code. */
  answered({ serial }: LoadRequest, reply: RawReply): string {
    const entry = this.entry(serial)
    if (reply.status === 201 || reply.status === 200) {
      this.acknowledge(entry, reply)
      return 'stored'
    }
    const code = codeIn(reply)
    if (reply.status === 504 && code === 'outcome_unknown') {
      entry.mayBeStored = true
      return code
    }
    if (reply.status === 503 && certainlyNot.has(code)) {
      if (!/^[0-9]+$/.test(reply.headers['retry-after'] ?? ''))
        this.fault(entry, 'was refused without Retry-After')
      return code
    }
    entry.mayBeStored = true
    this.fault(entry, `was answered ${String(reply.status)} ${code}`)
    return 'nonsense'
  }

  /** Records a fault that belongs to no single request. */
  remark(text: string): void {
    this.wrong += 1
    this.say(text, text)
  }

  /** Returns a random acknowledged entity, with the events that a read of it must include. */
  someReadable(random: Random): Readable | undefined {
    const all = [...this.readable.values()]
    return all[random.between(0, all.length - 1)]
  }

  /** Returns the highest acknowledged position of an entity. Undefined without one. */
  positionOf(entity: string): bigint | undefined {
    return this.readable.get(entity)?.position
  }

  /** Returns the latest acknowledged requests with an idempotency key. */
  latestKeyed(most: number): readonly LoadRequest[] {
    const found: LoadRequest[] = []
    for (let at = this.entries.length - 1; at >= 0 && found.length < most; at -= 1) {
      const entry = this.entries[at]
      if (entry?.acknowledged !== undefined && entry.request.keyed) found.push(entry.request)
    }
    return found
  }

  /** Returns a random sample of acknowledged requests with an idempotency key. */
  someKeyed(most: number, random: Random): readonly LoadRequest[] {
    const some = new Set<LoadRequest>()
    for (
      let tries = 0;
      tries < 4 * most && some.size < most && this.entries.length > 0;
      tries += 1
    ) {
      const entry = this.entries[random.between(0, this.entries.length - 1)]
      if (entry?.acknowledged !== undefined && entry.request.keyed) some.add(entry.request)
    }
    return [...some]
  }

  /** Compares the responses with the stored facts. Must be called once. */
  async settle(facts: AsyncIterable<FoundFact>): Promise<Account> {
    const lastOfStream = new Map<string, bigint>()
    for await (const fact of facts) this.find(fact, lastOfStream)
    let [acknowledged, found, doubled, lost] = [0, 0, 0, 0]
    for (const entry of this.entries) {
      if (entry.acknowledged !== undefined) acknowledged += 1
      if (entry.facts > 0) found += 1
      doubled += Math.max(0, entry.facts - 1)
      if (entry.acknowledged !== undefined && entry.facts === 0) lost += 1
      this.judge(entry)
    }
    const { wrong, allFaults: faults } = this
    return { tried: this.entries.length, acknowledged, found, doubled, lost, wrong, faults }
  }

  private judge(entry: Entry): void {
    const { acknowledged, mayBeStored, facts } = entry
    if (facts > 1) this.tell(entry, `is stored ${String(facts)} times`)
    if (acknowledged !== undefined && facts === 0) this.tell(entry, 'was acknowledged and is lost')
    if (acknowledged === undefined && !mayBeStored && facts > 0)
      this.fault(entry, 'was refused as certainly not stored, and is stored')
  }

  private acknowledge(entry: Entry, reply: RawReply): void {
    const said = readReply(entry.request, this.padding, reply)
    if (said === undefined) {
      entry.mayBeStored = true
      this.fault(entry, 'was answered with what was not sent')
      return
    }
    if (entry.acknowledged === undefined) {
      entry.acknowledged = said
      this.noteReadable(entry.request, said)
      return
    }
    if (!isDeepStrictEqual(entry.acknowledged, said))
      this.fault(entry, 'was answered differently the second time')
    if (reply.headers['idempotency-replayed'] !== 'true')
      this.fault(entry, 'was answered again, and not as a replay')
  }

  private noteReadable({ entity, serial }: LoadRequest, { fact, position }: Said): void {
    const known = this.readable.get(entity) ?? { entity, serials: [], position: 0n }
    const serials = fact === 'recorded' ? [...known.serials, serial] : known.serials
    const later = BigInt(position) > known.position ? BigInt(position) : known.position
    this.readable.set(entity, { entity, serials, position: later })
  }

  private find(fact: FoundFact, lastOfStream: Map<string, bigint>): void {
    const kept = readFact(fact)
    const entry = this.entries[kept?.serial ?? -1]
    if (kept === undefined || entry === undefined) {
      this.remark(`a fact in ${fact.stream} belongs to no request`)
      return
    }
    entry.facts += 1
    const { request, acknowledged } = entry
    const { serial, kind, entity, keyed } = request
    const sent = { entity, keyed, serial, properties: propertiesOf(serial, this.padding) }
    const { id, time, fact: outcome, ...rest } = kept
    if (!factsOf[kind].includes(outcome) || !isDeepStrictEqual(rest, sent))
      this.fault(entry, 'is stored as something that was not sent')
    if (acknowledged === undefined) return
    const { position, ...said } = acknowledged
    if (!isDeepStrictEqual(said, { id, time, fact: outcome }))
      this.fault(entry, 'is stored otherwise than it was answered')
    this.inOrder(entry, BigInt(position), lastOfStream)
  }

  /** Checks that positions increase in the order in which facts are stored. */
  private inOrder(entry: Entry, position: bigint, lastOfStream: Map<string, bigint>): void {
    const { entity } = entry.request
    if (position <= (lastOfStream.get(entity) ?? -1n))
      this.fault(entry, 'has a position before that of an earlier fact')
    lastOfStream.set(entity, position)
  }

  private fault(entry: Entry, text: string): void {
    this.wrong += 1
    this.tell(entry, text)
  }

  private tell({ request }: Entry, text: string): void {
    const { serial, kind, keyed } = request
    this.say(text, `${keyed ? 'keyed' : 'unkeyed'} ${kind} ${String(serial)} ${text}`)
  }

  private say(sort: string, text: string): void {
    const count = (this.told.get(sort) ?? 0) + 1
    this.told.set(sort, count)
    if (count <= maxOfAKind) this.faults.push(text)
  }

  private get allFaults(): readonly string[] {
    const more = [...this.told].filter(([, count]) => count > maxOfAKind)
    const counts = more.map(([sort, count]) => `${String(count)} times in all: ${sort}`)
    return [...this.faults, ...counts]
  }

  private entry(serial: number): Entry {
    const entry = this.entries[serial]
    if (entry === undefined) throw new RangeError(`no request ${String(serial)}`)
    return entry
  }
}
