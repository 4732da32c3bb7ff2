import { isDeepStrictEqual } from 'node:util'
import type { RawReply } from '../test/support/raw-connection.js'
import type { FoundFact } from './found-facts.js'
import type { Random } from './random.js'
import { codeIn, factsOf, readFact, readReply, type Kept, type Said } from './replies.js'
import { propertiesOf, type LoadRequest } from './requests.js'

interface Entry {
  readonly request: LoadRequest
  acknowledged: Said | undefined
  /** Whether an attempt had no response or an unknown outcome. The request may then be stored. */
  mayBeStored: boolean
  facts: number
}

/** The acknowledged events of an entity that are never voided, and the highest position of its facts. */
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
/** The codes with which the search for the event of a void is refused at any time. Then nothing is stored. */
const notVoided = new Set(['read_model_behind', 'building'])

/** Returns whether a 503 with this code says that nothing of the request is stored. */
function isCertainlyNot({ kind }: LoadRequest, code: string): boolean {
  return certainlyNot.has(code) || (kind === 'void' && notVoided.has(code))
}

/** Records every request with its responses, and compares them with the stored facts. */
export class Ledger {
  private readonly entries: Entry[] = []
  private readonly faults: string[] = []
  private readonly told = new Map<string, number>()
  private readonly readable = new Map<string, Readable>()
  /** The serial number of each void, by the id of its event. */
  private readonly voids = new Map<string, number>()
  private wrong = 0

  /** `padding` is added to every request to make it larger. */
  constructor(readonly padding = '') {}

  /** Creates a new request. */
  make(kind: Exclude<LoadRequest['kind'], 'void'>, entity: string, keyed: boolean): LoadRequest {
    return this.add({ kind, entity, keyed, voids: '', isVoided: false })
  }

  /** Creates an event with a key that `makeVoid` voids later. */
  makeVoided(entity: string): LoadRequest {
    return this.add({ kind: 'event', entity, keyed: true, voids: '', isVoided: true })
  }

  /** Creates the request that voids an acknowledged event. */
  makeVoid({ serial, entity }: LoadRequest): LoadRequest {
    const voids = this.entry(serial).acknowledged?.id
    if (voids === undefined) throw new TypeError(`event ${String(serial)} is not acknowledged`)
    const request = this.add({ kind: 'void', entity, keyed: true, voids, isVoided: false })
    this.voids.set(voids, request.serial)
    return request
  }

  private add(made: Omit<LoadRequest, 'serial'>): LoadRequest {
    const request = { serial: this.entries.length, ...made }
    this.entries.push({ request, acknowledged: undefined, mayBeStored: false, facts: 0 })
    return request
  }

  /** The number of acknowledged voids. */
  get acknowledgedVoids(): number {
    const isVoid = ({ request, acknowledged }: Entry) =>
      request.kind === 'void' && acknowledged !== undefined
    return this.entries.filter(isVoid).length
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
    if (reply.status === 503 && isCertainlyNot(entry.request, code)) {
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

  private noteReadable({ entity, serial, isVoided }: LoadRequest, said: Said): void {
    const { fact, position } = said
    const known = this.readable.get(entity) ?? { entity, serials: [], position: 0n }
    const isRead = fact === 'recorded' && !isVoided
    const serials = isRead ? [...known.serials, serial] : known.serials
    const later = BigInt(position) > known.position ? BigInt(position) : known.position
    this.readable.set(entity, { entity, serials, position: later })
  }

  private find(fact: FoundFact, lastOfStream: Map<string, bigint>): void {
    const kept = readFact(fact)
    const entry = kept && this.entryOf(kept)
    if (kept === undefined || entry === undefined) {
      this.remark(`a fact in ${fact.stream} belongs to no request`)
      return
    }
    entry.facts += 1
    const { acknowledged } = entry
    const { id, time, fact: outcome } = kept
    if (!this.isAsSent(kept, entry)) this.fault(entry, 'is stored as something that was not sent')
    if (acknowledged === undefined) return
    const { position, ...said } = acknowledged
    if (!isDeepStrictEqual(said, { id, time, fact: outcome }))
      this.fault(entry, 'is stored otherwise than it was answered')
    this.inOrder(entry, BigInt(position), lastOfStream)
  }

  private entryOf(kept: Kept): Entry | undefined {
    const serial = kept.fact === 'voided' ? this.voids.get(kept.id) : kept.serial
    return serial === undefined ? undefined : this.entries[serial]
  }

  private isAsSent(kept: Kept, { request }: Entry): boolean {
    const { serial, kind, entity, keyed } = request
    if (!factsOf[kind].includes(kept.fact) || kept.entity !== entity || kept.keyed !== keyed)
      return false
    return (
      kept.fact === 'voided' ||
      isDeepStrictEqual(kept.properties, propertiesOf(serial, this.padding))
    )
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
