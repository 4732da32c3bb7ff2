import { setImmediate as turn } from 'node:timers/promises'
import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { valueOf } from '../../src/adapters/sqlite/file/schema.js'
import { SqliteProjections } from '../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import type { Scope } from '../scope.js'
import { BenchFacts } from './bench-facts.js'
import type { BenchSegment } from './segments-of.js'

const factsOfPage = 1_000

export interface Spent {
  /** The elapsed time in milliseconds. */
  readonly wall: number
  /** The CPU time of this process in µs. */
  readonly cpu: number
}

/** A read model in this process, without a service or a store. It stores the facts itself. */
export class BenchReadModel {
  readonly facts: BenchFacts
  private isOpen = true

  private constructor(
    private readonly projections: SqliteProjections,
    private readonly path: string,
    entities: number,
  ) {
    this.facts = new BenchFacts(entities)
  }

  /** Creates a read model with this many entities and events. Closed with `scope`. */
  static async filled(
    path: string,
    { entities, events }: { readonly entities: number; readonly events: number },
    scope: Scope,
  ): Promise<BenchReadModel> {
    const onDropped = (reason: string) => {
      throw new Error(reason)
    }
    const onDiverged = ({ reason }: { readonly reason: string }) => {
      throw new Error(reason)
    }
    const options = { path, factsFile: undefined, onDropped, onDiverged }
    const projections = SqliteProjections.open(options)
    const model = new BenchReadModel(projections, path, entities)
    await scope.own(() => {
      model.close()
      return Promise.resolve()
    })
    await model.applyMany(entities, (n) => model.facts.created(n))
    await model.applyMany(events, (n) => model.facts.filled(n, events))
    projections.finishBuild()
    return model
  }

  /** Defines the segments, and builds them until they are live. Returns the cost of the build. */
  async build(segments: readonly BenchSegment[]): Promise<Spent> {
    const { facts, projections } = this
    const spent = await measured(async () => {
      this.apply(segments.map((segment) => facts.defined(segment)))
      await this.work()
    })
    const { value } = await projections.answer('unpublished', { except: [] })
    const unpublished = value.streams.flatMap(({ facts }) => facts)
    this.apply(
      unpublished.flatMap((fact) => (fact.type === 'SegmentBuilt' ? [facts.built(fact.data)] : [])),
    )
    await this.work()
    const all = await projections.answer('segments', {})
    const live = all.value.filter(({ status }) => status === 'live')
    if (live.length === segments.length) return spent
    throw new Error(`${String(live.length)} of ${String(segments.length)} segments are live`)
  }

  apply(facts: readonly LoggedFact[]): void {
    for (let left = facts; left.length > 0;) left = this.projections.apply(left)
  }

  close(): void {
    if (this.isOpen) this.projections.close()
    this.isOpen = false
  }

  /** Returns the size of the file without its free pages. The read model must be closed. */
  bytes(): number {
    const db = openDatabase(this.path, { readOnly: true })
    try {
      const pragma = (name: string) => Number(valueOf(db, `PRAGMA ${name}`))
      return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
    } finally {
      db.close()
    }
  }

  private async applyMany(count: number, factOf: (n: number) => LoggedFact): Promise<void> {
    for (let from = 0; from < count; from += factsOfPage) {
      const length = Math.min(factsOfPage, count - from)
      this.apply(Array.from({ length }, (_, at) => factOf(from + at)))
      await turn()
    }
  }

  private async work(): Promise<void> {
    this.projections.workOn()
    while (this.projections.isWorking) await turn()
  }
}

export async function measured(work: () => Promise<void>): Promise<Spent> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await work()
  const wall = performance.now() - begun
  const { user, system } = process.cpuUsage(cpu)
  return { wall, cpu: user + system }
}
