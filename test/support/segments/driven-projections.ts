import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach } from '@jest/globals'
import { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { OnDiverged } from '../../../src/adapters/sqlite/read-model/segments/publishing/publications.js'
import type { LentProfiles } from '../../../src/adapters/sqlite/read-model/thread/lent-profiles.js'
import { readFact, toStored } from '../../../src/application/facts/fact-format.js'
import { factTable, meaningOf, type Fact } from '../../../src/application/facts/fact-table.js'
import { ErasuresAhead } from '../../../src/application/reading/erasures-ahead.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import type {
  DictionaryStatus,
  Queries,
  QueryName,
  QueryOf,
} from '../../../src/application/reading/ports/read-model.js'
import type { UnpublishedFact } from '../../../src/application/segments/ports/segment-queries.js'
import { erasedStream, erasuresStream } from '../../../src/domain/erasures.js'
import { entityStream } from '../../../src/domain/entity.js'
import { membersStream } from '../../../src/domain/segments/segment-facts.js'
import { applyAll } from '../apply-all.js'
import { CheckedLoans } from './checked-loans.js'
import type { FactsFile } from './facts-file.js'
import type { LogFact } from './log-facts.js'

/**
 * The number of positions that each fact of a history reserves: one for itself, and others for the facts published
 * because of it.
 */
export const placesOfAFact = 10_000

/** The projections of a read model over a log that the test writes. Derived changes are published to that log. */
export class DrivenProjections {
  readonly log: LoggedFact[] = []
  readonly loans = new CheckedLoans()
  private readonly projections: SqliteProjections
  private published = 0

  /** Creates the projections, in memory unless a path is given. */
  constructor(
    path?: string,
    onDiverged?: OnDiverged,
    sliceMs?: number,
    private readonly factsFile?: FactsFile,
  ) {
    const { lent } = this.loans
    this.projections = openedProjections(path, onDiverged, sliceMs, factsFile?.path, lent)
    if (this.projections.isBuilding) this.projections.finishBuild()
  }

  get dictionaryStatus(): DictionaryStatus {
    return this.projections.status.dictionary
  }

  /** Applies the next fact of a history at its position. Publishing happens separately. */
  add(fact: LogFact): void {
    this.addAll([fact])
  }

  /** Applies the next facts of a history at their positions, as one page of the log. */
  addAll(facts: Iterable<LogFact>): void {
    const page: LoggedFact[] = []
    for (const fact of facts) {
      if (fact.type === 'SegmentBuilt') continue
      const { position, stream, ...rest } = fact
      page.push(this.store(position * placesOfAFact, stream, factOf(rest)))
    }
    applyAll(this.projections, page)
    if (page.length > 0) this.published = 0
  }

  /** Applies the next facts of a history together. Calls `afterSlice` after each slice. */
  async addTogether(facts: readonly LogFact[], afterSlice: () => Promise<void>): Promise<void> {
    let left = facts.flatMap(({ position, stream, ...rest }) =>
      rest.type === 'SegmentBuilt'
        ? []
        : [this.store(position * placesOfAFact, stream, factOf(rest))],
    )
    this.published = 0
    while (left.length > 0) {
      left = [...this.projections.apply(left)]
      await afterSlice()
    }
  }

  /** Adds facts, and finishes all background work after each fact. */
  async settleAfterEach(facts: Iterable<LogFact>): Promise<void> {
    for (const fact of facts) {
      this.add(fact)
      await this.settle()
    }
  }

  private write(position: number, stream: string, fact: Fact): void {
    applyAll(this.projections, [this.store(position, stream, fact)])
  }

  /** Adds a fact to the log. */
  private store(position: number, stream: string, fact: Fact): LoggedFact {
    const context = { requestId: 'test', keyHash: undefined }
    const written = { position, stream, ...toStored(fact, context) }
    const logged = this.factsFile?.add(written) ?? written
    this.log.push(logged)
    return logged
  }

  /** Applies the facts of another log that are new. */
  take(log: readonly LoggedFact[]): void {
    const { position } = this.projections.checkpoint
    const next = log.filter((fact) => fact.position > position)
    this.log.push(...next)
    applyAll(this.projections, next)
  }

  /** Runs a few steps of background work. */
  async work(ticks: number): Promise<void> {
    this.projections.workOn()
    for (let tick = 0; tick < ticks && this.projections.isWorking; tick += 1) await immediate()
  }

  /** Runs background work and publishes changes until nothing is left. */
  async settle(): Promise<void> {
    do {
      await this.publish()
      await this.work(Infinity)
    } while (this.projections.status.segments.hasUnpublished)
  }

  /** Publishes all derived changes. */
  async publish(): Promise<void> {
    const { streams } = await this.query('unpublished', { except: [] })
    for (const { facts } of streams) for (const fact of facts) this.publishFact(fact)
  }

  publishFact({ type, data }: Pick<UnpublishedFact, 'type' | 'data'>): void {
    const last = Math.floor((this.log.at(-1)?.position ?? 0) / placesOfAFact) * placesOfAFact
    const id = `published-${String(last + this.published + 1)}`
    this.writeNext(membersStream(data.segment), factOf({ id, type, data }))
  }

  /** Returns the entity's id. Undefined: no entity with this external id was created. */
  entityIdOf(externalId: string): string | undefined {
    const stream = entityStream(externalId)
    return this.log.find((fact) => fact.stream === stream)?.id
  }

  /** Records the erasure of an entity and ends its stream. `asked` can be earlier than `at`. */
  erase(entityId: string, at: string, asked = at): void {
    this.recordErasure(entityId, asked)
    this.closeStream(entityId, at)
  }

  recordErasure(entityId: string, at: string): void {
    const id = `erasure-of-${entityId}`
    const data = { entityId, suppress: false, recipients: [], at }
    this.writeNext(erasuresStream, { id, type: 'EntityErasureRecorded', data })
  }

  closeStream(entityId: string, at: string): void {
    const stream = this.log.find(({ id }) => id === entityId)?.stream ?? erasedStream(entityId)
    const erasureId = `erasure-of-${entityId}`
    const data = { erasureId, entityId, at }
    this.writeNext(stream, { id: `erased-${entityId}`, type: 'EntityErased', data })
  }

  /** Removes the facts of an entity in one of the ways in which stores do that, see `Removal`. */
  removeFacts(entityId: string, how: Removal): void {
    const left =
      how === 'stubs'
        ? withStubs(this.log, entityId)
        : withoutFacts(this.log, entityId, how === 'all gone')
    this.log.splice(0, this.log.length, ...left)
    this.factsFile?.replace(this.log)
  }

  /** Reads the recorded erasures ahead of the facts, as every follower does before it continues. */
  async foresee(log: readonly LoggedFact[] = this.log): Promise<void> {
    const at = (position: number) => Promise.resolve(log.find((fact) => fact.position === position))
    const readStream = (stream: string, from: number) => {
      const facts = log.filter((fact) => fact.stream === stream)
      return Promise.resolve(
        facts.slice(from).map((fact, index) => ({ ...fact, revision: from + index })),
      )
    }
    const { position } = this.projections.checkpoint
    this.projections.foresee(await new ErasuresAhead().read({ at, readStream }, position))
  }

  /** Records that the facts of an erased entity were removed, with the read model's figures. */
  async recordRemoval(entityId: string, at: string): Promise<void> {
    const position = String(this.log.find(({ id }) => id === `erased-${entityId}`)?.position)
    const { clock, memberships, removed } = await this.query('erasedEntity', { entityId })
    const erasureId = `erasure-of-${entityId}`
    const data = {
      erasureId,
      entityId,
      closedAt: { at, position },
      ...removed,
      memberships,
      clock,
      at,
    }
    this.writeNext(erasuresStream, { id: `removed-${entityId}`, type: 'ErasedFactsRemoved', data })
  }

  private writeNext(stream: string, fact: Fact): void {
    this.published += 1
    const last = Math.floor((this.log.at(-1)?.position ?? 0) / placesOfAFact) * placesOfAFact
    this.write(last + this.published, stream, fact)
  }

  /** Rebuilds the read model from the log. Runs this many steps of background work. */
  async rebuild(ticks = Infinity): Promise<void> {
    this.projections.rebuildFromLog()
    await this.foresee()
    applyAll(this.projections, this.log)
    this.projections.finishBuild()
    await this.work(ticks)
  }

  async query<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
  ): Promise<Queries[Name]['answer']> {
    const { value } = await this.projections.answer(name, query)
    this.loans.check(name, query, value)
    return value
  }

  close(): void {
    this.projections.close()
    this.factsFile?.close()
  }
}

/** Returns a function that creates projections, and closes them after each test. */
export function drivenProjections() {
  const made: DrivenProjections[] = []
  afterEach(() => {
    for (const one of made.splice(0)) one.close()
  })
  return (...given: ConstructorParameters<typeof DrivenProjections>): DrivenProjections => {
    const one = new DrivenProjections(...given)
    made.push(one)
    return one
  }
}

/** Opens projections, in memory unless a path is given. */
export function openedProjections(
  path = 'memory:',
  onDiverged = failed,
  sliceMs?: number,
  factsFile?: string,
  lent?: LentProfiles,
): SqliteProjections {
  return SqliteProjections.open({
    path,
    factsFile,
    searchProperties: ['/plan', '/city'],
    onDropped: (reason) => {
      throw new Error(reason)
    },
    onDiverged,
    ...(sliceMs === undefined ? {} : { sliceMs }),
    ...(lent === undefined ? {} : { lent }),
  })
}

const failed: OnDiverged = ({ segment, reason }) => {
  throw new Error(`${segment} differs: ${reason}`)
}

/** Converts a fact of a history to a fact as read from a store. */
export function factOf({ id, type, data }: { id: string; type: Fact['type']; data: object }): Fact {
  const metadata = JSON.stringify({
    schemaVersion: factTable[type].version,
    $correlationId: 'test',
  })
  const fact = factTable[type].read({ id, type, data: JSON.stringify(data), metadata })
  if (fact === undefined) throw new Error(`${type} is no fact of ours`)
  return fact
}

function recordedAtOf(logged: LoggedFact): string {
  const fact = readFact(logged)
  const recordedAt = fact && meaningOf(fact).recordedAt
  if (recordedAt === undefined) throw new Error(`${logged.id} was recorded at no time`)
  return recordedAt
}

/** Returns the facts of an entity. The `EntityErased` is the last of them. */
function ownFacts(log: readonly LoggedFact[], entityId: string): ReadonlySet<LoggedFact> {
  const first = log.findIndex(({ id }) => id === entityId)
  const own = log.slice(Math.max(0, first)).filter(({ stream }) => stream === log[first]?.stream)
  const last = own.findIndex(({ type }) => type === 'EntityErased')
  return new Set(own.slice(0, last + 1))
}

/**
 * The way in which a store removes facts. `gone`: the positions are empty. `all gone`: the position of the
 * `EntityErased` is empty, too. `stubs`: redacted placeholders remain.
 */
export type Removal = 'gone' | 'all gone' | 'stubs'

/** Returns the log of a store that leaves removed positions empty. */
export function withoutFacts(
  log: readonly LoggedFact[],
  entityId: string,
  isAllGone = false,
): readonly LoggedFact[] {
  const own = ownFacts(log, entityId)
  return log.filter((fact) => !own.has(fact) || (!isAllGone && fact.type === 'EntityErased'))
}

/** Returns the log of a store that leaves redacted placeholders. */
export function withStubs(log: readonly LoggedFact[], entityId: string): readonly LoggedFact[] {
  const own = ownFacts(log, entityId)
  return log.map((fact) => {
    if (!own.has(fact)) return fact
    const renamed = { ...fact, stream: erasedStream(entityId) }
    if (fact.type === 'EntityErased') return renamed
    const stub = { id: fact.id, type: 'FactErased', data: { at: recordedAtOf(fact) } } as const
    return { ...renamed, ...toStored(stub, { requestId: 'erased', keyHash: undefined }) }
  })
}
