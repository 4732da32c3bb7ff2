import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { EntityStates } from '../../../../src/adapters/sqlite/read-model/segments/evaluation/entity-states.js'
import { Pace } from '../../../../src/adapters/sqlite/read-model/slice.js'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import type { LoggedFact } from '../../../../src/application/facts/ports/fact-log.js'
import { membersStream } from '../../../../src/domain/segments/segment-facts.js'
import type { JsonObject } from '../../../../src/domain/json.js'

const start = Date.UTC(2026, 0)
const opened: SqliteProjections[] = []
afterEach(() => {
  for (const projections of opened.splice(0)) projections.close()
  jest.restoreAllMocks()
})

const day = 86_400_000
const paidForADay = {
  segment: 'paid-for-a-day',
  version: 1,
  title: 'Paid for a day',
  kind: 'rule',
  evaluator: 1,
} as const

const isPaidForADay: JsonObject = { property: '/plan', is: { eq: 'paid' }, for: '1d' }

/** The streams of facts that are not about ada. */
const streams: Readonly<Record<string, string>> = {
  SegmentDefined: 'segments',
  SegmentBuilt: membersStream(paidForADay.segment),
}

/** The log of one entity, ada, over a read model. Unless a duration is given, a slice is one piece of work. */
class AdasLog {
  private position = 0
  private passed = 0
  readonly projections: SqliteProjections

  constructor(changes: number, sliceMs = 0) {
    this.projections = SqliteProjections.open({
      path: 'memory:',
      factsFile: undefined,
      onDropped: () => undefined,
      onDiverged: () => undefined,
      sliceMs,
    })
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
  apply(fact: Omit<Fact, 'id'>, between?: () => void): number {
    return this.applyTogether([fact], between)
  }

  applyTogether(facts: readonly Omit<Fact, 'id'>[], between: () => void = () => undefined): number {
    for (let left = facts.map((fact) => this.logged(fact)), slices = 1; ; slices += 1) {
      left = [...this.projections.apply(left)]
      if (left.length === 0) return slices
      between()
    }
  }

  async properties(): Promise<unknown> {
    const { value } = await this.projections.answer('profile', { externalId: 'ada' })
    return value?.properties
  }

  /**
   * Defines the segment, and waits until the segment is live. Unless a rule is given, the members are the entities
   * whose plan has been paid for a day.
   */
  async definePaidForADay(rule: JsonObject = isPaidForADay): Promise<void> {
    const data = { ...paidForADay, rule, definedAt: this.now() }
    this.apply({ type: 'SegmentDefined', data })
    this.projections.workOn()
    while (this.projections.isWorking) await immediate()
    const { value } = await this.projections.answer('unpublished', { except: [] })
    for (const { facts } of value.streams) for (const fact of facts) this.apply(fact)
  }

  /** Returns the number of members of the segment. */
  async members(): Promise<number | undefined> {
    const query = { key: paidForADay.segment, limit: 10 }
    const { value } = await this.projections.answer('segmentMembers', query)
    return value?.items.length
  }

  /** Lets log time pass, by this many milliseconds in total. */
  pass(milliseconds: number): void {
    this.passed = milliseconds
    this.apply(this.change({ n: 0 }))
  }

  private logged(fact: Omit<Fact, 'id'>): LoggedFact {
    this.position += 1
    const { position } = this
    const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`
    const stored = toStored({ ...fact, id } as Fact, { requestId: 'r', keyHash: undefined })
    return { ...stored, position, stream: streams[fact.type] ?? 'entity-ada' }
  }

  private now(): string {
    return new Date(start + this.passed + this.position).toISOString()
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

describe('a late change of a property with a `for` condition', () => {
  it('searches in many slices for the next change of the property, and members are answered between them', async () => {
    const log = await paidAtTheStart()
    log.apply(log.change({ plan: 'paid' }))
    // A day has passed since the first change of the plan, and less than a day since the last one.
    log.pass(day - 1_000)
    const { position } = log.projections.checkpoint
    const between: Promise<unknown>[] = []
    const slices = log.apply(log.change({ plan: 'free' }, start + 6), () => {
      expect(log.projections.checkpoint.position).toBe(position)
      between.push(log.members())
    })
    // Nearly 2,000 changes are read, at most 64 in a slice. No event is read.
    expect(slices).toBeGreaterThan(30)
    expect(slices).toBeLessThan(60)
    expect(new Set(await Promise.all(between))).toEqual(new Set([1]))
    // The late change interrupts the time, so the plan has been paid since its last change.
    expect(await log.members()).toBe(0)
  })

  it('searches only when its place makes a search necessary', async () => {
    const log = await paidAtTheEnd()
    expect(log.apply(log.change({ plan: 'free' }, start + 6))).toBe(1)
  })

  it('finds the next change of each property that one late change breaks', async () => {
    const log = new AdasLog(20)
    log.apply(log.change({ plan: 'paid', tier: 'gold' }, start + 5))
    log.pass(2_000)
    log.apply(log.change({ plan: 'paid' }, start + 500))
    log.apply(log.change({ tier: 'gold' }, start + 1_500))
    const isGoldForADay: JsonObject = { property: '/tier', is: { eq: 'gold' }, for: '1d' }
    await log.definePaidForADay({ all: [isPaidForADay, isGoldForADay] })
    log.apply(log.change({ plan: 'free', tier: 'iron' }, start + 6))
    log.pass(day + 1_000)
    expect(await log.members()).toBe(0)
    log.pass(day + 1_900)
    expect(await log.members()).toBe(1)
  })

  it('reads no state for a late change of another property', async () => {
    const log = await paidAtTheStart(new AdasLog(20))
    const read = jest.spyOn(EntityStates.prototype, 'get')
    log.apply(log.change({ n: 1 }, start + 6))
    expect(read).not.toHaveBeenCalled()
    log.apply(log.change({ plan: 'paid' }, start + 6))
    expect(read).toHaveBeenCalled()
  })

  it.each([
    ['moves the start of the condition', paidAtTheEnd, start + 5],
    ['makes the change late', paidAtTheStart, undefined],
  ])(
    'searches in slices when only an earlier fact of the same commit %s',
    async (_effect, logOf, paidAt) => {
      const log = await logOf()
      applyTogetherInAnySlice()
      const { position } = log.projections.checkpoint
      const positions = new Set<number>()
      const slices = log.applyTogether(
        [log.change({ plan: 'paid' }, paidAt), log.change({ plan: 'free' }, start + 6)],
        () => positions.add(log.projections.checkpoint.position),
      )
      expect(slices).toBeGreaterThan(30)
      expect(slices).toBeLessThan(60)
      // The earlier fact does not wait for the search.
      expect([...positions]).toEqual([position + 1])
    },
  )

  it('finds the next change in the same commit', async () => {
    const log = await paidAtTheStart(new AdasLog(20, 1_000))
    applyTogetherInAnySlice()
    log.apply(log.change({ plan: 'paid' }))
    // A day has passed since the instant `start + 7`, and less than a day since the last change of the plan.
    log.pass(day - 30)
    expect(await log.members()).toBe(1)
    log.applyTogether([
      log.change({ plan: 'paid' }, start + 7),
      log.change({ plan: 'free' }, start + 6),
    ])
    expect(await log.members()).toBe(1)
  })
})

/** Makes the read model apply facts together, even if it estimates that they do not fit into a slice. */
function applyTogetherInAnySlice(): void {
  jest.spyOn(Pace.prototype, 'piecesIn').mockReturnValue(10)
}

/** Returns a log whose only plan is `paid`, before nearly all changes of other properties. */
async function paidAtTheStart(log = new AdasLog(2_000)): Promise<AdasLog> {
  log.apply(log.change({ plan: 'paid' }, start + 5))
  await log.definePaidForADay()
  return log
}

/** Returns a log with 2,000 changes of other properties between the plan `free` and the plan `paid`. */
async function paidAtTheEnd(): Promise<AdasLog> {
  const log = new AdasLog(2_000)
  log.apply(log.change({ plan: 'free' }, start + 1))
  log.apply(log.change({ plan: 'paid' }))
  await log.definePaidForADay()
  return log
}
