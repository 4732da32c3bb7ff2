import { createHash, randomUUID } from 'node:crypto'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import { membersStream, segmentsStream } from '../../../../src/domain/segments/segment-facts.js'
import type { FactTarget } from './told-log.js'

type Turn = Extract<Fact, { readonly type: 'EntityEnteredSegment' | 'EntityLeftSegment' }>

const at = '2026-11-20T09:30:00.000Z'

/**
 * A segment as a service has it, driven by a test: who is in it changes at once, and is told when the test
 * says so.
 */
export class ToldSegment {
  /** In the order of their creation. */
  readonly entities: readonly string[]
  /** All that was told of the members, in its order. */
  readonly told: { readonly position: bigint; readonly fact: Fact }[] = []
  /** The newest version that was defined. */
  version = 0
  /** What is served; undefined: nothing yet, or not any more. */
  served: { readonly version: number; readonly members: Set<string> } | undefined
  isRetired = false
  /** Of the last fact. */
  position = 0n
  private unpublished: Turn[] = []

  constructor(
    private readonly target: FactTarget,
    entities: number,
    readonly key = 'vip',
  ) {
    this.entities = Array.from({ length: entities }, () => randomUUID())
  }

  get members(): readonly string[] {
    const members = this.served?.members ?? new Set()
    return this.entities.filter((id) => members.has(id))
  }

  get digest(): string {
    return plainDigest(this.members)
  }

  entity(index: number): string {
    return this.entities[index % this.entities.length] ?? ''
  }

  /** Something is recorded that makes each of them enter, or leave. */
  async change(...indexes: readonly number[]): Promise<void> {
    for (const index of indexes) {
      await this.recordSomething()
      const turn = this.flip(this.entity(index))
      if (turn !== undefined) this.unpublished.push(turn)
    }
  }

  /** A fact that is no concern of the segment. */
  async recordSomething(): Promise<void> {
    const externalId = `c-${randomUUID()}`
    const data = { externalId, properties: {}, createdAt: at }
    await this.append(`entity-${externalId}`, { id: randomUUID(), type: 'EntityCreated', data })
  }

  /** Tells so many changes, the oldest first. */
  async tell(count = this.unpublished.length): Promise<void> {
    for (const turn of this.unpublished.splice(0, count)) await this.tellAs(turn)
  }

  /**
   * What was told comes again, under its id, at another position: in a stream of a copy, for a stream of
   * EventStoreDB takes an id once.
   */
  async tellAgain(fact: Fact): Promise<void> {
    this.told.push({ position: await this.append(`${membersStream(this.key)}-copy`, fact), fact })
  }

  /** What was not told yet is never told, as no service does. */
  forgetUnpublished(): void {
    this.unpublished = []
  }

  define(): void {
    this.version += 1
    this.isRetired = false
  }

  /**
   * The newest version is built, with these members; `meanwhile` changes between what it was built
   * through and where that is told: those of the old version are never told.
   */
  async build(indexes: readonly number[], meanwhile: readonly number[] = []): Promise<void> {
    await this.tell()
    const { version } = this
    for (const index of meanwhile) await this.change(index)
    this.unpublished = []
    const members = new Set(indexes.map((index) => this.entity(index)))
    await this.tellAs(this.builtFact(version, members))
    this.served = { version, members }
    for (const index of meanwhile) {
      const turn = this.flip(this.entity(index))
      if (turn !== undefined) this.unpublished.push(turn)
    }
  }

  /** A build of this version that another definition overtook: nothing changes. */
  async buildInVain(version: number): Promise<void> {
    await this.tellAs(this.builtFact(version, new Set(this.entities)))
  }

  async retire(): Promise<void> {
    const data = { segment: this.key, version: this.version, retiredAt: at }
    await this.tellAs({ id: randomUUID(), type: 'SegmentRetired', data })
    this.served = undefined
    this.isRetired = true
  }

  /** The facts of those who enter, which are told after a position. */
  enteredSince(since: bigint): readonly string[] {
    let retired = 0
    const ids = this.told
      .filter(({ position }) => position > since)
      .flatMap(({ fact }) => {
        if (fact.type === 'SegmentRetired') retired = fact.data.version
        return fact.type === 'EntityEnteredSegment' && fact.data.version > retired ? [fact.id] : []
      })
    return [...new Set(ids)]
  }

  /** The last fact of a type that was told. */
  last<Type extends Fact['type']>(type: Type): Extract<Fact, { readonly type: Type }> {
    const isWanted = (fact: Fact): fact is Extract<Fact, { readonly type: Type }> =>
      fact.type === type
    const found = this.told.map(({ fact }) => fact).findLast(isWanted)
    if (found === undefined) throw new Error(`no ${type} was told`)
    return found
  }

  private flip(entityId: string): Turn | undefined {
    if (this.served === undefined) return undefined
    const { members, version } = this.served
    const cause = { kind: 'event', factId: randomUUID() } as const
    const data = { segment: this.key, version, entityId, at, cause }
    if (members.delete(entityId)) return { id: randomUUID(), type: 'EntityLeftSegment', data }
    members.add(entityId)
    return { id: randomUUID(), type: 'EntityEnteredSegment', data }
  }

  private builtFact(version: number, members: ReadonlySet<string>): Fact {
    const data = {
      segment: this.key,
      version,
      resolved: {},
      through: randomUUID(),
      members: members.size,
      digest: plainDigest([...members]),
      builtAt: at,
    }
    return { id: randomUUID(), type: 'SegmentBuilt', data }
  }

  private async tellAs(fact: Fact): Promise<void> {
    const stream = fact.type === 'SegmentRetired' ? segmentsStream : membersStream(this.key)
    this.told.push({ position: await this.append(stream, fact), fact })
  }

  private async append(stream: string, fact: Fact): Promise<bigint> {
    const position = await this.target.append(stream, fact)
    this.position = position
    return position
  }
}

/** As the document of segments has it, once more. */
export function plainDigest(entityIds: readonly string[]): string {
  const sum = entityIds.reduce((total, id) => {
    const hash = createHash('sha256').update(id.toLowerCase()).digest('hex')
    return total + BigInt(`0x${hash.slice(0, 16)}`)
  }, 0n)
  return (sum % 2n ** 64n).toString(16).padStart(16, '0')
}
