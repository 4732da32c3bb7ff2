import { createHash, randomUUID } from 'node:crypto'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import { membersStream, segmentsStream } from '../../../../src/domain/segments/segment-facts.js'
import type { FactTarget } from './memory-facts.js'

type MembershipChange = Extract<
  Fact,
  { readonly type: 'EntityEnteredSegment' | 'EntityLeftSegment' }
>

const at = '2026-11-20T09:30:00.000Z'

/**
 * A segment as a service has it, driven by a test: who is in it changes at once, and is published when the test
 * says so.
 */
export class PublishedSegment {
  /** In the order of their creation. */
  readonly entities: readonly string[]
  /** All that was published of the members, in its order. */
  readonly published: { readonly position: bigint; readonly fact: Fact }[] = []
  /** The newest version that was defined. */
  version = 0
  /** What is served; undefined: nothing yet, or not any more. */
  served: { readonly version: number; readonly members: Set<string> } | undefined
  isRetired = false
  /** Of the last fact. */
  position = 0n
  private unpublished: MembershipChange[] = []

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
      const change = this.changeOf(this.entity(index))
      if (change !== undefined) this.unpublished.push(change)
    }
  }

  /** A fact that is no concern of the segment. */
  async recordSomething(): Promise<void> {
    const externalId = `c-${randomUUID()}`
    const data = { externalId, properties: {}, createdAt: at }
    await this.append(`entity-${externalId}`, { id: randomUUID(), type: 'EntityCreated', data })
  }

  /** Tells so many changes, the oldest first. */
  async publish(count = this.unpublished.length): Promise<void> {
    for (const change of this.unpublished.splice(0, count)) await this.write(change)
  }

  /**
   * What was published comes again, under its id, at another position: in a stream of a copy, for a stream of
   * EventStoreDB takes an id once.
   */
  async publishAgain(fact: Fact): Promise<void> {
    this.published.push({
      position: await this.append(`${membersStream(this.key)}-copy`, fact),
      fact,
    })
  }

  /** What was not published yet is never published, as no service does. */
  forgetUnpublished(): void {
    this.unpublished = []
  }

  define(): void {
    this.version += 1
    this.isRetired = false
  }

  /**
   * The newest version is built, with these members; `meanwhile` changes between what it was built
   * through and where that is published: those of the old version are never published.
   */
  async build(indexes: readonly number[], meanwhile: readonly number[] = []): Promise<void> {
    await this.publish()
    const { version } = this
    for (const index of meanwhile) await this.change(index)
    this.unpublished = []
    const members = new Set(indexes.map((index) => this.entity(index)))
    await this.write(this.builtFact(version, members))
    this.served = { version, members }
    for (const index of meanwhile) {
      const change = this.changeOf(this.entity(index))
      if (change !== undefined) this.unpublished.push(change)
    }
  }

  /** A build of this version that another definition overtook: nothing changes. */
  async buildInVain(version: number): Promise<void> {
    await this.write(this.builtFact(version, new Set(this.entities)))
  }

  async retire(): Promise<void> {
    const data = { segment: this.key, version: this.version, retiredAt: at }
    await this.write({ id: randomUUID(), type: 'SegmentRetired', data })
    this.served = undefined
    this.isRetired = true
  }

  /** The facts of those who enter, which are published after a position. */
  enteredSince(since: bigint): readonly string[] {
    let retired = 0
    const ids = this.published
      .filter(({ position }) => position > since)
      .flatMap(({ fact }) => {
        if (fact.type === 'SegmentRetired') retired = fact.data.version
        return fact.type === 'EntityEnteredSegment' && fact.data.version > retired ? [fact.id] : []
      })
    return [...new Set(ids)]
  }

  /** The last fact of a type that was published. */
  last<Type extends Fact['type']>(type: Type): Extract<Fact, { readonly type: Type }> {
    const isWanted = (fact: Fact): fact is Extract<Fact, { readonly type: Type }> =>
      fact.type === type
    const found = this.published.map(({ fact }) => fact).findLast(isWanted)
    if (found === undefined) throw new Error(`no ${type} was published`)
    return found
  }

  private changeOf(entityId: string): MembershipChange | undefined {
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

  private async write(fact: Fact): Promise<void> {
    const stream = fact.type === 'SegmentRetired' ? segmentsStream : membersStream(this.key)
    this.published.push({ position: await this.append(stream, fact), fact })
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
