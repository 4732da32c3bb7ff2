import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { SqliteProjections } from '../../../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { ErasedEntity } from '../../../../../../src/application/erasing/ports/erasure-queries.js'
import { isExactStream } from '../../../../../../src/application/facts/our-streams.js'
import type { Fact } from '../../../../../../src/application/facts/fact-table.js'
import { entityStream } from '../../../../../../src/domain/entity.js'
import { erasuresStream } from '../../../../../../src/domain/erasures.js'
import { toStored } from '../../../../../../src/application/facts/fact-format.js'
import {
  noRevision,
  type ExactAppend,
} from '../../../../../../src/application/ports/exact-appends.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { compareMembers } from '../../../../../support/segments/compare-members.js'
import { externalIds } from '../../../../../support/segments/history-log.js'
import { crowds } from '../../../../../support/segments/crowded-histories.js'
import {
  factOf,
  withoutFacts,
  withStubs,
} from '../../../../../support/segments/driven-projections.js'
import { entityOf, recordedAtOf, type LogFact } from '../../../../../support/segments/log-facts.js'
import { erasuresIn, lessErased } from '../../../../../support/segments/less-erased.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'
import { Replica, SharedStore, type Fate } from '../../../../../support/segments/replicas.js'
import {
  checkBuilds,
  checkErased,
  checkTicks,
  factsOf,
} from '../../../../../support/segments/published-facts.js'
import { checkPublishedChanges } from '../../../../../support/segments/published-changes.js'

const numRuns = quickOrThorough({ quick: 3, thorough: 30 })
const lags = [0, 400, 3_000]
const enoughRounds = 200

type Action =
  | { readonly what: 'fact'; readonly until: number }
  | { readonly what: 'follow' | 'work'; readonly who: number; readonly most: number }
  | { readonly what: 'wake' | 'crash'; readonly who: number }
  | { readonly what: 'deliver'; readonly who: number; readonly fate: Fate }
  | { readonly what: 'time'; readonly passes: number }
  | { readonly what: 'erase'; readonly entity: number }
  | {
      readonly what: 'remove'
      readonly entity: number
      readonly who: number
      readonly how: 'gone' | 'all gone' | 'stubs'
    }

const who = fc.nat({ max: lags.length - 1 })
const most = fc.constantFrom(1, 2, 5, 100)
const fates = fc.constantFrom<Fate>('answered', 'answered', 'stored unheard', 'lost', 'stored late')
const times = fc.constantFrom(1, 500, 999, 1_000, 60_000, 3_600_000)
const entity = fc.nat({ max: externalIds.length - 1 })
const given = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(1, 3, 9).map((until) => ({ what: 'fact' as const, until })),
    },
    {
      weight: 10,
      arbitrary: fc.record({
        what: fc.constantFrom('follow' as const, 'work' as const),
        who,
        most,
      }),
    },
    { weight: 8, arbitrary: fc.record({ what: fc.constant('wake' as const), who }) },
    {
      weight: 8,
      arbitrary: fc.record({ what: fc.constant('deliver' as const), who, fate: fates }),
    },
    { weight: 1, arbitrary: fc.record({ what: fc.constant('crash' as const), who }) },
    { weight: 3, arbitrary: fc.record({ what: fc.constant('time' as const), passes: times }) },
    { weight: 2, arbitrary: fc.record({ what: fc.constant('erase' as const), entity }) },
    {
      weight: 4,
      arbitrary: fc.record({
        what: fc.constant('remove' as const),
        entity,
        who,
        how: fc.constantFrom('gone' as const, 'all gone' as const, 'stubs' as const),
      }),
    },
  ),
  { minLength: 40, maxLength: 160, size: 'max' },
) satisfies fc.Arbitrary<readonly Action[]>

it('several processes together publish each change once, as one process alone would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(randomHistories, crowds), given, async (history, actions) => {
      const race = new Race(history)
      try {
        for (const action of actions) {
          await race.act(action)
          await race.compare()
        }
        await race.settle()
        await race.judge()
      } finally {
        await race.close()
      }
    }),
    { numRuns },
  )
})

function actOn(
  action: Exclude<Action, { what: 'fact' | 'time' | 'erase' | 'remove' }>,
  replica: Replica,
): Promise<void> {
  switch (action.what) {
    case 'follow':
      return replica.follow(action.most)
    case 'work':
      return replica.work(action.most)
    case 'wake':
      return replica.wake()
    case 'deliver':
      return replica.deliver(action.fate)
    case 'crash':
      return replica.crash()
  }
}

function isReady({ isApplied, unpublishedLeaves, isFollowed }: ErasedEntity): boolean {
  return isApplied && unpublishedLeaves === 0 && isFollowed
}

class Race {
  private readonly store = new SharedStore()
  private readonly replicas = lags.map((lag) => new Replica(this.store, lag, this.checkTick(lag)))
  private readonly history: LogFact[]
  private readonly streams = new Map<string, number>()
  /** The ids of erased entities, by external id. */
  private readonly erased = new Map<string, string>()
  /** The ids of entities whose facts are removed. */
  private readonly removed = new Set<string>()
  /** A rebuilt replica lacks facts before this position, because they were removed. */
  private removedBefore = 0
  /** The first answer about a served segment at each position. */
  private readonly said = new Map<string, unknown>()

  constructor(history: readonly LogFact[]) {
    this.history = history.filter(({ type }) => type !== 'SegmentBuilt' && type !== 'TimePassed')
  }

  /** Checks that a replica publishes `TimePassed` only when a change is due by its own clock. */
  private checkTick(lag: number) {
    return ({ facts: [fact] }: ExactAppend, { status, logTime }: SqliteProjections) => {
      if (fact?.type !== 'TimePassed') return
      const { nextDue = Infinity } = status.segments
      const { now } = JSON.parse(fact.data) as { now: string }
      expect(Date.parse(now)).toBe(this.store.now - lag)
      expect(nextDue).toBeLessThanOrEqual(Date.parse(now))
      expect(logTime).toBeLessThan(nextDue)
    }
  }

  async act(action: Action): Promise<void> {
    switch (action.what) {
      case 'fact':
        for (let n = 0; n < action.until; n += 1) await this.addFact()
        return
      case 'time':
        this.store.now += action.passes
        return
      case 'erase':
        await this.erase(externalIds[action.entity] ?? '')
        return
      case 'remove':
        await this.remove(action)
        return
      default: {
        const replica = this.replicas[action.who]
        if (replica !== undefined) await actOn(action, replica)
      }
    }
  }

  /** Erases an entity. Its external id is not used again. */
  private async erase(externalId: string): Promise<void> {
    const stream = entityStream(externalId)
    const creation = this.store.facts.find((fact) => fact.stream === stream)
    if (creation === undefined || this.erased.has(externalId)) return
    const entityId = creation.id
    this.erased.set(externalId, entityId)
    const [erasureId, at] = [`erasure-${entityId}`, new Date(this.store.now).toISOString()]
    const asked = { entityId, suppress: true, recipients: [], at }
    await this.append(erasuresStream, { id: erasureId, type: 'EntityErasureRecorded', data: asked })
    const data = { erasureId, entityId, at }
    await this.append(stream, { id: `erased-${entityId}`, type: 'EntityErased', data })
  }

  private async append(stream: string, fact: Fact): Promise<void> {
    const isNew = !this.store.facts.some((other) => other.stream === stream)
    const stored = toStored(fact, { requestId: 'test', keyHash: undefined })
    if (isExactStream(stream)) {
      const revision = this.store.facts.filter((other) => other.stream === stream).length - 1
      await this.store.appendAt({ stream, revision, facts: [stored] })
    } else
      await this.store.append({ stream, expected: isNew ? 'new' : 'existing', facts: [stored] })
  }

  /** Removes the facts of an erased entity once one replica has published the changes. Other replicas may lag. */
  private async remove({ entity, who, how }: Extract<Action, { what: 'remove' }>): Promise<void> {
    const entityId = this.erased.get(externalIds[entity] ?? '')
    const eraser = this.replicas[who]
    if (entityId === undefined || this.removed.has(entityId)) return
    const seen = await eraser?.query('erasedEntity', { entityId })
    if (seen?.position === undefined || !isReady(seen)) return
    this.removed.add(entityId)
    this.removedBefore = Math.max(this.removedBefore, Number(seen.position))
    const { facts } = this.store
    const left =
      how === 'stubs'
        ? withStubs(facts, entityId)
        : withoutFacts(facts, entityId, how === 'all gone')
    facts.splice(0, facts.length, ...left)
    const at = new Date(this.store.now).toISOString()
    const closedAt = { at, position: seen.position }
    const counts = { facts: {}, keys: 0, memberships: 0 }
    const { clock } = seen
    const erasureId = `erasure-${entityId}`
    const data = { erasureId, entityId, closedAt, ...counts, clock, at }
    await this.append(erasuresStream, {
      id: `removed-${entityId}`,
      type: 'ErasedFactsRemoved',
      data,
    })
  }

  private async addFact(): Promise<void> {
    const next = this.history.shift()
    if (next === undefined || this.erased.has(entityOf({ ...next, logTime: 0 }) ?? '')) return
    const { stream, position: _position, ...fact } = next
    this.store.now = Math.max(this.store.now, recordedAtOf(next) ?? 0)
    const stored = toStored(factOf(fact), { requestId: 'test', keyHash: undefined })
    const revision = this.streams.get(stream) ?? noRevision
    this.streams.set(stream, revision + 1)
    if (stream === 'segments') {
      await this.store.appendAt({ stream, revision, facts: [stored] })
    } else {
      const expected = revision === noRevision ? 'new' : 'existing'
      await this.store.append({ stream, expected, facts: [stored] })
    }
  }

  /** Checks that all replicas give the same answers about served segments at the same position. */
  async compare(): Promise<void> {
    for (const replica of this.replicas) {
      // Reads each profile, so that the replica compares it with the profile that it keeps.
      for (const externalId of externalIds) await replica.query('profile', { externalId })
      if (replica.position < this.removedBefore) continue
      for (const info of await replica.query('segments', {})) {
        const { key, version, status, servingVersion, members, digest } = info
        if (members === undefined) continue
        const place = `${key} at ${String(replica.position)}`
        const says = { place, version, status, servingVersion, members, digest }
        const before = this.said.get(place) ?? says
        this.said.set(place, says)
        expect(says).toEqual(before)
      }
    }
  }

  /** Runs all replicas until nothing is left to do, including changes that are due within some seconds. */
  async settle(): Promise<void> {
    while (this.history.length > 0) await this.addFact()
    for (let round = 0, idle = 0; idle < lags.length + 3; round += 1) {
      if (round > enoughRounds) throw new Error('it does not come to its end')
      const { newest } = this.store
      for (const replica of this.replicas) {
        await replica.follow(Infinity)
        await replica.work(Infinity)
        await replica.wake()
        await replica.deliver('answered')
      }
      await this.compare()
      this.store.now += 1_000
      idle = this.store.newest === newest ? idle + 1 : 0
    }
  }

  async judge(): Promise<void> {
    const whole = factsOf(this.store.facts)
    checkTicks(whole)
    checkErased(whole)
    const log = lessErased(whole)
    checkBuilds(log, erasuresIn(whole))
    checkPublishedChanges(log)
    for (const replica of this.replicas) await compareMembers(replica, log, 'all')
  }

  async close(): Promise<void> {
    for (const replica of this.replicas) await replica.close()
  }
}
