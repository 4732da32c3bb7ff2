import type { Random } from '../../../fault-injection/random.js'
import { nextLook } from '../next-look.js'
import { oneOf } from '../one-of.js'
import { creation, randomWrite, type Write } from './load-requests.js'
import type { ReplicaProcess, Reply } from './replica-process.js'

/** The statuses with which a process in trouble may refuse a write. */
const refusals = new Set([503, 504])

/** Sends writes to any process that answers, like callers behind a proxy. */
export class ReplicaLoad {
  /** The serial numbers of the acknowledged writes. */
  readonly acknowledged = new Set<number>()
  /** The number of writes that were repeated with their idempotency key. */
  repeats = 0
  /** The highest acknowledged position. */
  position = 0
  /** Replies that no fault explains. */
  readonly faults: string[] = []
  private serial = 0
  private stopping = false
  private lanes: Promise<unknown> = Promise.resolve()
  private waiting: { readonly count: number; readonly release: () => void }[] = []

  constructor(
    private readonly replicas: readonly ReplicaProcess[],
    private readonly random: Random,
    private readonly entities: readonly string[],
    private readonly onStored: (write: Write) => void = () => undefined,
  ) {}

  /** The number of sent writes, which is also the last serial number. */
  get sent(): number {
    return this.serial
  }

  async create(): Promise<void> {
    await Promise.all(this.entities.map((id) => this.store(creation(id, this.next()))))
  }

  start(lanes: number): void {
    this.stopping = false
    this.lanes = Promise.all(Array.from({ length: lanes }, () => this.run()))
  }

  /** Resolves when no write is in flight. Writes with an idempotency key are stored by then. */
  async stop(): Promise<void> {
    this.stopping = true
    await this.lanes
  }

  /** Resolves when this many more writes are acknowledged. */
  stored(more: number): Promise<void> {
    const count = this.acknowledged.size + more
    return new Promise((release) => {
      this.waiting.push({ count, release })
    })
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      const entity = oneOf(this.random, this.entities)
      await this.store(randomWrite(this.random, entity, this.next()))
      await nextLook()
    }
  }

  private next(): number {
    this.serial += 1
    return this.serial
  }

  /** Stores a write. A write without an idempotency key is sent once, because its outcome may be unknown. */
  private async store(write: Write): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const replica = oneOf(this.random, this.replicas)
      const [reply] = await Promise.allSettled([replica.ask(write.path, write.asked)])
      if (reply.status === 'fulfilled' && this.took(write, reply.value)) return
      if (!write.isKeyed) return
      if (tries > 1) this.repeats += 1
      await nextLook()
    }
  }

  /** Returns whether the write has its final outcome. */
  private took({ serial, ...write }: Write, reply: Reply): boolean {
    if (refusals.has(reply.status)) return false
    if (reply.status === 200 || reply.status === 201) {
      this.acknowledged.add(serial)
      this.position = Math.max(this.position, reply.position)
      this.onStored({ serial, ...write })
      this.publish()
    } else {
      this.faults.push(`${write.path} ${String(reply.status)} ${JSON.stringify(reply.body)}`)
    }
    return true
  }

  private publish(): void {
    const [due, rest] = [[], []] as [typeof this.waiting, typeof this.waiting]
    for (const one of this.waiting) (one.count <= this.acknowledged.size ? due : rest).push(one)
    this.waiting = rest
    for (const { release } of due) release()
  }
}
