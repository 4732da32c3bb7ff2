import { afterEach, describe, expect, it } from '@jest/globals'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import type { JsonObject } from '../../../../src/domain/json.js'

const start = Date.UTC(2026, 0)
const opened: SqliteProjections[] = []
afterEach(() => {
  for (const projections of opened.splice(0)) projections.close()
})

/** The log of one entity, ada, over a read model whose slices end after each piece of work. */
class AdasLog {
  private position = 0
  readonly projections = SqliteProjections.open({
    path: 'memory:',
    factsFile: undefined,
    onDropped: () => undefined,
    onDiverged: () => undefined,
    sliceMs: 0,
  })

  constructor(changes: number) {
    opened.push(this.projections)
    const createdAt = this.now()
    const properties = { old: 0 }
    this.apply({ type: 'EntityCreated', data: { externalId: 'ada', properties, createdAt } })
    for (let n = 1; n <= changes; n += 1) {
      this.apply(this.change({ n }))
      const recordedAt = this.now()
      const data = { entityExternalId: 'ada', name: 'buy', properties: {}, recordedAt }
      this.apply({ type: 'EventRecorded', data })
    }
    this.projections.finishBuild()
  }

  change(set: JsonObject, occurredAt?: number): Omit<Fact, 'id'> {
    const own = occurredAt === undefined ? {} : { occurredAt: new Date(occurredAt).toISOString() }
    const data = { externalId: 'ada', set, unset: [], changedAt: this.now(), ...own }
    return { type: 'EntityPropertiesChanged', data }
  }

  /** Applies a fact, and returns the number of slices. `between` runs after each slice but the last. */
  apply(fact: Omit<Fact, 'id'>, between: () => void = () => undefined): number {
    for (let left = [this.logged(fact)], slices = 1; ; slices += 1) {
      left = [...this.projections.apply(left)]
      if (left.length === 0) return slices
      between()
    }
  }

  async properties(): Promise<unknown> {
    const { value } = await this.projections.answer('profile', { externalId: 'ada' })
    return value?.properties
  }

  private logged(fact: Omit<Fact, 'id'>): LoggedFact {
    this.position += 1
    const { position } = this
    const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`
    const stored = toStored({ ...fact, id } as Fact, { requestId: 'r', keyHash: undefined })
    return { ...stored, position, stream: 'entity-ada' }
  }

  private now(): string {
    return new Date(start + this.position).toISOString()
  }
}

describe('a late change', () => {
  it('is decided by the latest change of its property, without reading older ones', () => {
    const log = new AdasLog(500)
    expect(log.apply(log.change({ n: -1 }, start - 1))).toBe(1)
  })

  it('that reads much is applied after many slices, and reads are answered between them', async () => {
    const log = new AdasLog(500)
    const { position } = log.projections.checkpoint
    const between: Promise<unknown>[] = []
    const slices = log.apply(log.change({ n: -1, first: 1, old: -1 }, start - 1), () => {
      expect(log.projections.checkpoint.position).toBe(position)
      if (between.length < 3) between.push(log.properties())
    })
    // The creation and each change is read once. No event is read.
    expect(slices).toBeGreaterThan(450)
    expect(slices).toBeLessThan(550)
    expect((await Promise.all(between)).map((text) => JSON.stringify(text))).toEqual([
      '{"old":0,"n":500}',
      '{"old":0,"n":500}',
      '{"old":0,"n":500}',
    ])
    expect(JSON.stringify(await log.properties())).toBe('{"old":0,"n":500,"first":1}')
  })

  it('reads nothing that an earlier one has read', async () => {
    const log = new AdasLog(500)
    log.apply(log.change({ first: 1 }, start - 1))
    expect(log.apply(log.change({ second: 1 }, start - 1))).toBeLessThan(5)
    expect(JSON.stringify(await log.properties())).toBe('{"old":0,"n":500,"first":1,"second":1}')
  })
})
