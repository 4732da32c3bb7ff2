import { SqliteProjections } from '../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type {
  Answer,
  Queries,
  QueryName,
  ReadModel,
  ReadStatus,
  Want,
} from '../../src/application/reading/ports/read-model.js'
import { WaitForPosition } from '../../src/application/reading/wait-for-position.js'
import { applyAll } from './apply-all.js'
import type { LoggedStore } from './logged-store.js'

/** Fixed answers for some queries, instead of the read model's answers. */
export type PlannedAnswers = {
  [Name in QueryName]?: (query: Queries[Name]['query']) => Queries[Name]['answer']
}

/** A read model in memory. It applies every stored fact immediately, unless a test calls `hold`. */
export class ReadModelInStep implements ReadModel {
  private projections: SqliteProjections | undefined
  private readonly listeners = new Set<() => void>()
  private readonly wait = new WaitForPosition({
    head: () => Promise.resolve({ newest: this.store.newest, end: this.store.newest }),
    isReached: (position) => this.isReached(position),
    applied: () => this.applied.position,
  })
  private building = false
  private builds = 0
  private isHeld = false
  trouble: string | undefined
  /** The error with which every query fails, if set. */
  failure: Error | undefined
  /** The queries that were received. */
  readonly asked: { name: QueryName; query: unknown }[] = []
  planned: PlannedAnswers = {}

  /** Limits the wait of every query to `longestWaitMs`, because some use cases wait for a second. */
  constructor(
    private readonly store: LoggedStore,
    private readonly longestWaitMs = Infinity,
  ) {
    store.whenStored(() => {
      if (!this.isHeld && (this.listeners.size > 0 || !this.wait.isEmpty)) this.catchUp()
    })
  }

  /** Continues over an empty store. */
  reset(): void {
    // Opening projections takes longer than most tests, so projections without facts are kept.
    if (this.projections?.checkpoint.position !== 0) this.forget()
    this.building = false
    this.builds = 0
    this.isHeld = false
    this.trouble = undefined
    this.failure = undefined
    this.asked.length = 0
    this.planned = {}
  }

  /** Stops applying facts until `catchUp`. */
  hold(): void {
    this.applyNext()
    this.isHeld = true
  }

  /** Applies facts up to a position. Default: all facts. */
  catchUp(upTo = Infinity): void {
    if (upTo === Infinity) this.isHeld = false
    this.applyNext(upTo)
    this.notify()
  }

  /** Drops everything and rebuilds, as after the store was restored. */
  beginBuilding(): void {
    this.forget()
    this.building = true
    this.builds += 1
    this.isHeld = true
    this.notify()
  }

  endBuilding(): void {
    this.building = false
    this.catchUp()
  }

  get status(): ReadStatus {
    const { fullProfiles, logTime } = this.inStep
    return {
      applied: this.applied,
      reached: this.applied.position,
      newest: this.store.newest,
      isBuilding: this.building,
      fullProfiles: this.building ? [] : fullProfiles,
      logTime,
      builds: this.builds,
      trouble: this.trouble,
    }
  }

  watch(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** The number of listeners. */
  get watchers(): number {
    return this.listeners.size
  }

  async query<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['query'],
    { position = 0, waitMs, cancellation }: Want,
  ): Promise<Answer<Queries[Name]['answer']>> {
    if (this.failure !== undefined) throw this.failure
    this.asked.push({ name, query })
    const wanted = position === 'head' ? this.store.newest : position
    await this.wait.until(wanted, performance.now() + Math.min(waitMs, this.longestWaitMs))
    const planned = this.planned[name]
    if (planned === undefined) return this.inStep.answer(name, query, cancellation)
    const { applied, logTime } = this.status
    return { value: planned(query), position: applied.position, logTime }
  }

  close(): Promise<void> {
    this.forget()
    return Promise.resolve()
  }

  private get applied() {
    return this.inStep.checkpoint
  }

  private isReached(position: number | 'head'): boolean {
    return !this.building && position !== 'head' && this.applied.position >= position
  }

  private get inStep(): SqliteProjections {
    return this.isHeld ? this.opened : this.applyNext()
  }

  private applyNext(upTo = Infinity): SqliteProjections {
    const { opened } = this
    const { position } = opened.checkpoint
    if (position < this.store.newest) {
      // Facts are in position order, and most of them are already applied, so the search starts at the end.
      const { facts } = this.store
      const next = facts.slice(facts.findLastIndex((fact) => fact.position <= position) + 1)
      applyAll(opened, upTo === Infinity ? next : next.filter((fact) => fact.position <= upTo))
    }
    return opened
  }

  private get opened(): SqliteProjections {
    if (this.projections !== undefined) return this.projections
    const unwanted = (): never => {
      throw new Error('nothing is wrong with it')
    }
    const made = SqliteProjections.open({
      path: 'memory:',
      factsFile: undefined,
      searchProperties: ['/email', '/address/city'],
      onDropped: unwanted,
      onDiverged: unwanted,
    })
    made.finishBuild()
    return (this.projections = made)
  }

  private forget(): void {
    this.projections?.close()
    this.projections = undefined
  }

  private notify(): void {
    if (!this.building) this.wait.reached(this.applied.position)
    for (const listener of this.listeners) listener()
  }
}
