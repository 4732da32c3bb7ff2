import { setImmediate as immediate } from 'node:timers/promises'
import type { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import type {
  ExactAppend,
  ExactAppends,
  ExactReceipt,
  StreamFact,
  StreamReader,
} from '../../src/application/ports/exact-appends.js'
import type {
  Append,
  EventStore,
  Receipt,
  StoreHealth,
} from '../../src/application/recording/ports/event-store.js'
import { Refusal } from '../../src/application/ports/refusal.js'
import type { HeldAppend } from '../contracts/held-append.js'
import { createBarrier, type Barrier } from './eventstoredb/gate.js'

const connections = 16
/** The most ticks of the event loop that a message takes, each way. */
const maxTicks = 4

/**
 * When an append gets its position. `at-commit`: while it commits, and commits do not overlap, as with a locked
 * counter row. `from-sequence`: at its start, from a sequence without locks.
 */
export type Positions = 'at-commit' | 'from-sequence'

/**
 * Simulates a database server that is reached over several connections of random speed. Appends of one tick are
 * stored in random order. The facts are in the memory of this process.
 */
export class StoreOfConnections implements EventStore, ExactAppends, StreamReader, StoreHealth {
  private readonly underWay = new Set<Promise<unknown>>()
  private free = connections
  private readonly queue: (() => void)[] = []
  /** Resolves when the latest append has committed. */
  private latest: Promise<unknown> = Promise.resolve()
  private sequence = 0
  private held: Barrier | undefined
  private closed = false

  constructor(
    private readonly store: MemoryEventStore,
    private readonly positions: Positions,
  ) {}

  append(append: Append): Promise<Receipt> {
    return this.onConnection(() => this.write(() => this.store.append(append)))
  }

  appendAt(append: ExactAppend): Promise<ExactReceipt> {
    return this.onConnection(() => this.write(() => this.store.appendAt(append)))
  }

  readStream(stream: string, from: number): Promise<readonly StreamFact[]> {
    return this.onConnection(() => this.store.readStream(stream, from))
  }

  readLast(stream: string): Promise<StreamFact | undefined> {
    return this.onConnection(() => this.store.readLast(stream))
  }

  check(): Promise<void> {
    return this.store.check()
  }

  async close(): Promise<void> {
    this.closed = true
    await Promise.allSettled(this.underWay)
    await this.store.close()
  }

  /** Holds the next append open. The held append has its position if this store assigns positions before the commit. */
  holdAppend(): Promise<HeldAppend> {
    const barrier = createBarrier()
    this.held = barrier
    return Promise.resolve({ ...barrier, holdsUpOthers: this.positions === 'at-commit' })
  }

  private onConnection<T>(work: () => Promise<T>): Promise<T> {
    if (this.closed) return Promise.reject(new Refusal('store_unavailable', 'the store is closed'))
    const done = this.whenFree(work)
    this.underWay.add(done)
    const over = () => this.underWay.delete(done)
    done.then(over, over)
    return done
  }

  private async whenFree<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1
    else await new Promise<void>((resolve) => this.queue.push(resolve))
    try {
      await someTicks()
      return await work()
    } finally {
      await someTicks()
      const next = this.queue.shift()
      if (next === undefined) this.free += 1
      else next()
    }
  }

  private async write<T extends { readonly position: string }>(
    commit: () => Promise<T>,
  ): Promise<T> {
    if (this.positions === 'from-sequence') {
      this.sequence += 1
      const position = String(this.sequence)
      await this.passBarrier()
      return { ...(await commit()), position }
    }
    const written = this.latest.then(async () => {
      await this.passBarrier()
      return commit()
    })
    this.latest = written.catch(() => undefined)
    return written
  }

  private async passBarrier(): Promise<void> {
    const { held } = this
    this.held = undefined
    await held?.pass()
  }
}

async function someTicks(): Promise<void> {
  for (let ticks = Math.random() * maxTicks; ticks > 0; ticks -= 1) await immediate()
}
