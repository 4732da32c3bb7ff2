import { setImmediate as immediate } from 'node:timers/promises'
import type { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import type { ExactAppend, ExactReceipt } from '../../../src/application/ports/exact-appends.js'
import { ErasuresAhead } from '../../../src/application/reading/erasures-ahead.js'
import type { ErasureAhead } from '../../../src/application/reading/ports/projections.js'
import { Refusal, RefusalAt } from '../../../src/application/ports/refusal.js'
import { SegmentPublisher } from '../../../src/application/segments/publish-segments.js'
import type {
  Queries,
  QueryName,
  Want,
  QueryOf,
  AnswerOf,
} from '../../../src/application/reading/ports/read-model.js'
import { applyAll } from '../apply-all.js'
import { LoggedStore } from '../logged-store.js'
import { ManualPause } from '../manual-pause.js'
import { silentLog } from '../silent-log.js'
import { CheckedLoans } from './checked-loans.js'
import { openedProjections } from './driven-projections.js'

/** A store that several processes share, and a clock. */
export class SharedStore extends LoggedStore {
  now = 0
  /** The number of ids that processes have generated, so that none repeats. */
  ids = 0

  constructor() {
    const store = new MemoryEventStore()
    super(store, store)
  }

  /** Returns the recorded erasures after a position, also when facts were removed. */
  erasuresAhead(after: number): Promise<readonly ErasureAhead[]> {
    const at = (position: number) =>
      Promise.resolve(this.facts.find((fact) => fact.position === position))
    const readStream = (stream: string, from: number) => {
      const facts = this.facts.filter((fact) => fact.stream === stream).slice(from)
      return Promise.resolve(facts.map((fact, index) => ({ ...fact, revision: from + index })))
    }
    return new ErasuresAhead().read({ at, readStream }, after)
  }
}

/** The fate of a sent append: whether it is stored, and whether its sender learns that. */
export type Fate = 'answered' | 'stored unheard' | 'lost' | 'stored late'

interface Sent {
  readonly append: ExactAppend
  readonly hear: (receipt: ExactReceipt) => void
  readonly fail: (error: unknown) => void
}

/**
 * One process. It follows the shared store as fast as the test lets it, and publishes the changes that it derives.
 */
export class Replica {
  private readonly loans = new CheckedLoans()
  private projections = this.opened()
  private readonly listeners = new Set<() => void>()
  private pauses = new ManualPause()
  private keeper: SegmentPublisher
  private sent: Sent | undefined
  /** Appends that will be stored after their sender has stopped waiting. */
  private readonly late: ExactAppend[] = []

  constructor(
    private readonly store: SharedStore,
    /** The lag of this process's clock, in milliseconds. */
    private readonly lag: number,
    /** Called with every append that this process sends, and with its projections at that time. */
    private readonly onSent: (append: ExactAppend, projections: SqliteProjections) => void,
  ) {
    this.keeper = this.begin([])
  }

  private opened(): SqliteProjections {
    return openedProjections(undefined, undefined, undefined, undefined, this.loans.lent)
  }

  private begin(erasures: readonly ErasureAhead[]): SegmentPublisher {
    this.projections.foresee(erasures)
    applyAll(this.projections, this.store.facts)
    this.projections.finishBuild()
    const { projections } = this
    projections.watch(() => {
      this.publish()
    })
    this.pauses = new ManualPause()
    const keeper = new SegmentPublisher(this.modelOf(projections), {
      store: { appendAt: (append) => this.send(append, projections) },
      clock: { now: () => new Date(this.store.now - this.lag) },
      ids: { next: () => `published-${String((this.store.ids += 1))}` },
      log: silentLog,
      pause: this.pauses.pause,
      random: () => 0,
    })
    keeper.start()
    return keeper
  }

  private modelOf(projections: SqliteProjections) {
    return {
      get status() {
        const { checkpoint: applied, logTime, status, fullProfiles } = projections
        const { position } = applied
        const places = { applied, reached: position, newest: position }
        const rest = { isBuilding: false, builds: 0, trouble: undefined, fullProfiles }
        return { ...places, ...rest, logTime, ...status }
      },
      watch: (listener: () => void) => {
        this.listeners.add(listener)
        return () => this.listeners.delete(listener)
      },
      query: async (
        name: 'unpublished',
        _query: object,
        { position: wanted }: Want,
      ): Promise<AnswerOf<'unpublished'>> => {
        // Reports that the wait timed out.
        const { position } = projections.checkpoint
        if (wanted !== undefined && wanted !== 'head' && position < wanted)
          throw new RefusalAt('read_model_behind', position)
        return projections.answer(name, { except: [] })
      },
    }
  }

  private publish(): void {
    for (const listener of this.listeners) listener()
  }

  private send(append: ExactAppend, projections: SqliteProjections): Promise<ExactReceipt> {
    this.onSent(append, projections)
    return new Promise((hear, fail) => {
      this.sent = { append, hear, fail }
    })
  }

  get clock(): number {
    return this.store.now - this.lag
  }

  get position(): number {
    return this.projections.checkpoint.position
  }

  /** Applies this many more facts. */
  async follow(most: number): Promise<void> {
    // Reads recorded erasures first, as after every interruption.
    this.projections.foresee(await this.store.erasuresAhead(this.position))
    const next = this.store.facts.filter(({ position }) => position > this.position).slice(0, most)
    applyAll(this.projections, next)
    this.projections.workOn()
    this.publish()
    await immediate()
  }

  async work(ticks: number): Promise<void> {
    this.projections.workOn()
    for (let tick = 0; tick < ticks && this.projections.isWorking; tick += 1) await immediate()
    await immediate()
  }

  /** Ends the pause of the process. */
  async wake(): Promise<void> {
    if (this.sent !== undefined) return
    void this.pauses.pass()
    await immediate()
  }

  /** Decides the fate of the sent append. */
  async deliver(fate: Fate): Promise<void> {
    const { sent } = this
    this.sent = undefined
    if (sent === undefined) {
      for (const append of this.late.splice(0)) await stored(this.store.appendAt(append))
      return
    }
    const { append, hear, fail } = sent
    if (fate === 'stored unheard') await stored(this.store.appendAt(append))
    if (fate === 'stored late') this.late.push(append)
    if (fate === 'answered') await this.store.appendAt(append).then(hear, fail)
    else fail(new Refusal('outcome_unknown', 'no answer'))
    await immediate()
  }

  /** Crashes: only sent appends remain. The process starts again with an empty read model. */
  async crash(): Promise<void> {
    await this.end()
    this.projections = this.opened()
    this.keeper = this.begin(await this.store.erasuresAhead(0))
    await this.work(0)
  }

  private async end(): Promise<void> {
    const { sent } = this
    this.sent = undefined
    if (sent !== undefined) {
      this.late.push(sent.append)
      sent.fail(new Refusal('outcome_unknown', 'it ended'))
    }
    await this.keeper.stop()
    this.projections.close()
  }

  async query<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
  ): Promise<Queries[Name]['answer']> {
    const { value } = await this.projections.answer(name, query)
    this.loans.check(name, query, value)
    return value
  }

  async close(): Promise<void> {
    await this.end()
  }
}

/** Ignores a rejection, because another process may have appended first. */
async function stored(append: Promise<ExactReceipt>): Promise<void> {
  await Promise.allSettled([append])
}
