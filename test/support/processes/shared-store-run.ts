import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../../fault-injection/random.js'
import type { TimedFact } from '../segments/log-facts.js'
import { digestOf } from '../segments/naive-membership.js'
import type { Write } from './load-requests.js'
import { defineSegments, redefineOne, segmentKeys } from './load-segments.js'
import { MemberReplies } from './member-replies.js'
import { oneOf } from '../one-of.js'
import { processFaults } from './process-faults.js'
import { ReplicaLoad } from './replica-load.js'
import type { ReplicaProcess } from './replica-process.js'
import { SegmentReplies, type SegmentsReply } from './segment-replies.js'
import type { StoreFacts } from './store-facts.js'
import { PublishedMembers } from './published-members.js'

export interface SharedStoreOptions {
  readonly replicas: readonly ReplicaProcess[]
  readonly store: StoreFacts
  readonly seed: number
  readonly entities: number
  readonly lanes: number
  readonly onStored?: (write: Write) => void
}

/** The longest time until all processes agree, in milliseconds. A longer wait means that something is wrong. */
const maxCalmMs = 240_000
/** The pause between two checks, in milliseconds. A check reads the whole log and asks every process. */
const lookEveryMs = 15

/** Runs several processes over one store under load, with faults in one or two processes at a time. */
export class SharedStoreRun {
  readonly replies = new SegmentReplies()
  readonly members = new MemberReplies()
  readonly published = new PublishedMembers()
  readonly load: ReplicaLoad
  redefined = 0
  private readonly random: Random

  constructor(private readonly options: SharedStoreOptions) {
    const { seed, replicas, entities, onStored } = options
    this.random = new Random(seed)
    const names = Array.from({ length: entities }, (_, n) => `customer-${String(n)}`)
    this.load = new ReplicaLoad(replicas, new Random(seed + 1), names, onStored)
  }

  /** All unexplained differences in replies, published facts and served members. */
  get faults(): readonly string[] {
    return [this.load, this.replies, this.members, this.published].flatMap(({ faults }) => faults)
  }

  async begin(): Promise<void> {
    await defineSegments(oneOf(this.random, this.options.replicas))
    await this.load.create()
  }

  /** Causes a fault in one process under load, sometimes in two. Then waits until all processes agree. */
  async round(number: number): Promise<void> {
    const { load, random } = this
    const { replicas, lanes } = this.options
    load.start(lanes)
    await load.stored(random.between(1, 15))
    const first = random.between(0, replicas.length - 1)
    const victims = random.between(1, 4) === 1 ? [first, first + 1] : [first]
    const suffering = victims.map((at, index) => this.suffer(at, number + index))
    await this.amid(number)
    await Promise.all(suffering)
    await load.stored(random.between(1, 15))
    await load.stop()
    await this.calm()
  }

  private async suffer(at: number, turn: number): Promise<void> {
    const { load, random } = this
    const { replicas } = this.options
    const replica = replicas[at % replicas.length]
    const fault = allFaults[turn % allFaults.length]
    await fault?.(replica ?? oneOf(random, replicas), {
      load,
      random,
      writes: random.between(3, 12),
    })
  }

  /** Asks every process for its segments during a fault. In every second round, also redefines a segment. */
  private async amid(number: number): Promise<void> {
    const { replicas } = this.options
    const asked = replicas.map((replica) => this.replies.ask(replica, this.load.position))
    if (number % 2 === 0) {
      this.redefined += Number(await redefineOne(oneOf(this.random, replicas), this.random))
    }
    await Promise.all(asked)
  }

  /** Waits until all changes are published, and all processes know them and agree. */
  async calm(): Promise<readonly TimedFact[]> {
    const dueAt = performance.now() + maxCalmMs
    for (;;) {
      const log = await this.options.store.all()
      this.published.follow(log)
      const last = log.at(-1)?.position ?? 0
      const trouble = await this.troubleAt(last)
      if (trouble === undefined) return log
      const [fault] = this.faults
      if (fault !== undefined) throw new Error(fault)
      if (performance.now() > dueAt) throw new Error(await this.whatIsWrong(trouble))
      await pause(lookEveryMs)
    }
  }

  /** Returns the reason why the processes do not agree at this position. Undefined when they agree. */
  private async troubleAt(last: number): Promise<string | undefined> {
    const { replicas } = this.options
    const replies = await Promise.all(replicas.map((one) => this.replies.ask(one, last)))
    for (const reply of replies) {
      if (reply?.position !== last) return `a process is not at ${String(last)}`
      const unlike = this.unlike(reply)
      if (unlike !== undefined) return unlike
    }
    return this.members.compare(oneOf(this.random, replicas), last, this.published.all)
  }

  private async whatIsWrong(trouble: string): Promise<string> {
    const states = await Promise.all(this.options.replicas.map((replica) => replica.state()))
    return [`there is no rest: ${trouble}`, ...states].join('\n')
  }

  private unlike({ segments }: SegmentsReply): string | undefined {
    for (const key of segmentKeys) {
      const said = segments.find((segment) => segment.key === key)
      const published = this.published.all.get(key)
      if (said?.status !== 'live' || published === undefined)
        return `${key} is ${said?.status ?? 'not there'}`
      const digest = digestOf([...published])
      if (said.digest !== digest || said.members !== published.size)
        return `${key} has ${String(said.members)} members, and ${String(published.size)} were published`
    }
    return undefined
  }
}

const allFaults = Object.values(processFaults)
