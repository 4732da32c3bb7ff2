import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { CommittedReadModel } from '../../../../../../src/adapters/sqlite/read-model/committed-read-model.js'
import type { ReadModel } from '../../../../../../src/application/reading/ports/read-model.js'
import type {
  EstimateQuery,
  Previewed,
  RuleEstimate,
} from '../../../../../../src/application/segments/ports/segment-queries.js'
import { firstCount } from '../../../../../../src/domain/segments/rule/first-count.js'
import type { Rule } from '../../../../../../src/domain/segments/rule/rule.js'
import { segmentsNamedBy } from '../../../../../../src/domain/segments/named-segments.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { membersOf } from '../../../../../support/segments/compare-members.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { segmentKeys } from '../../../../../support/segments/history-log.js'
import { withLogTime, type TimedFact } from '../../../../../support/segments/log-facts.js'
import { trialKey, withTrial } from '../../../../../support/segments/naive-answers.js'
import { liveSegments } from '../../../../../support/segments/naive-membership.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'
import { beginning, randomRules } from '../../../../../support/segments/random-rules.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../../support/temporary-folder.js'

const makeProjections = drivenProjections()
const folder = temporaryFolders()
const numRuns = quickOrThorough({ quick: 8, thorough: 200 })
const timeoutMs = quickOrThorough({ quick: 120_000, thorough: 900_000 })

/** Queries the projections or their committed file. */
type Ask = ReadModel['query']

async function previewed(
  ask: Ask,
  {
    rule,
    against,
    sample = 100,
    sum,
  }: EstimateQuery & { readonly sample?: number; readonly sum?: string },
  { position, meanwhile }: { position?: number; meanwhile?: () => Promise<void> } = {},
): Promise<{ readonly estimate: RuleEstimate; readonly result: Previewed }> {
  const want = { position, waitMs: 5_000 }
  const { value: estimate } = await ask('estimateRule', { rule, against }, want)
  await meanwhile?.()
  let soFar: Previewed | undefined
  do {
    const query = { rule, at: estimate.at, soFar, sample, sum }
    soFar = (await ask('previewRule', query, { waitMs: 0 })).value
  } while (!soFar.isWhole)
  return { estimate, result: soFar }
}

function asking(driven: DrivenProjections): Ask {
  return async (name, query) => ({
    value: await driven.query(name, query),
    position: 0,
    logTime: 0,
  })
}

const idsOf = (sample: Previewed['sample']) =>
  [...sample].sort((left, right) => left.entity - right.entity).map(({ externalId }) => externalId)

async function membersNow(driven: DrivenProjections, key: string): Promise<readonly string[]> {
  const page = await driven.query('segmentMembers', { key, limit: 1_000 })
  return page?.items.map(({ externalId }) => externalId) ?? []
}

const history = fc.record({
  facts: randomHistories,
  at: fc.constantFrom(0.3, 0.6, 0.9, 1),
  rule: randomRules(segmentKeys),
  against: fc.nat({ max: segmentKeys.length }),
  file: fc.constantFrom(...quickOrThorough({ quick: [false], thorough: [false, true] })),
})

it(
  'a preview is exact at its position, whatever is recorded while it runs, and compares with what is served there',
  async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ facts, at, rule, against, file }) => {
        const path = file ? join(folder(), 'read-model.db') : undefined
        const driven = makeProjections(path)
        const before = facts.slice(0, Math.ceil(facts.length * at))
        driven.addAll(before)
        await driven.settle()
        const log = withLogTime(before)
        const keys = [...liveSegments(log).keys()]
        if ([...segmentsNamedBy(rule)].some((key) => !keys.includes(key))) return
        const asked = { rule, against: keys[against] }
        const expected = await expectedOf(driven, log, asked)
        const meanwhile = async () => {
          driven.addAll(facts.slice(before.length))
          await driven.settle()
        }
        if (path === undefined) {
          expect(await found(asking(driven), asked, { meanwhile })).toEqual(expected)
          return
        }
        const committed = new CommittedReadModel({ readModel: path, factsFile: undefined })
        const position = driven.log.at(-1)?.position ?? 0
        const ask: Ask = (name, query, want) => committed.query(name, query, want)
        expect(await found(ask, asked, { position, meanwhile })).toEqual(expected)
        await committed.close()
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

/** Returns the expected result, from the naive evaluation and the served members. */
async function expectedOf(
  driven: DrivenProjections,
  log: readonly TimedFact[],
  { rule, against }: EstimateQuery,
) {
  const { items, members, digest } = membersOf(withTrial(log, rule), trialKey)
  const served = against === undefined ? [] : await membersNow(driven, against)
  const ids = items.map(({ externalId }) => externalId)
  const entering = ids.filter((id) => !served.includes(id))
  const leaving = served.filter((id) => !ids.includes(id))
  const top = await rankedOf(driven, rule, ids)
  return { estimate: members, members, digest, sample: ids, entering, leaving, top }
}

/** Ranks members by the count that an explanation gives for the condition. */
async function rankedOf(driven: DrivenProjections, rule: Rule, ids: readonly string[]) {
  const by = firstCount(rule)
  if (by === undefined) return []
  const evaluated = await driven.query('evaluateRule', { rule: by, externalIds: ids })
  return evaluated
    .map(({ externalId, membership }) => {
      return { externalId, count: Number(membership?.why['counted']) }
    })
    .filter(({ count }) => count > 0)
    .sort((left, right) => right.count - left.count)
    .slice(0, 20)
}

/** An estimate over all entities is exact. */
async function found(...given: Parameters<typeof previewed>) {
  const { estimate, result } = await previewed(...given)
  const { members, digest, sample, entering, leaving, top } = result
  expect([entering.count, leaving.count]).toEqual([entering.sample.length, leaving.sample.length])
  return {
    estimate: estimate.members,
    members,
    digest,
    sample: idsOf(sample),
    entering: idsOf(entering.sample),
    leaving: idsOf(leaving.sample),
    top: top.map(({ externalId, count }) => ({ externalId, count })),
  }
}

const on = (ms: number) => new Date(beginning + ms).toISOString()

it('a previewed rule has the members of the segment that is saved from it', async () => {
  const small = new SmallLog().created(on(0))
  for (let n = 1; n < 5; n += 1) small.event('buy', on(n))
  const rule = { event: 'buy', count: { gte: 4 } } as const
  const driven = makeProjections()
  driven.addAll(small.log)
  const { result } = await previewed(asking(driven), { rule })
  driven.addAll(small.defined(on(5), 's', rule).log.slice(-1))
  await driven.settle()
  const saved = await driven.query('segment', { key: 's' })
  expect(result.members).toBe(1)
  expect(result).toMatchObject({ members: saved?.members, digest: saved?.digest })
})

it('a rule that names a segment by hand ignores members of a retired segment with the same key', async () => {
  const small = new SmallLog().created(on(0)).defined(on(1), 's').put(on(2), 's')
  const driven = makeProjections()
  const named = async () =>
    (await previewed(asking(driven), { rule: { segment: 's' }, against: 's' })).result
  driven.addAll(small.log)
  await driven.settle()
  expect(await named()).toMatchObject({ members: 1, leaving: { count: 0 } })
  driven.addAll(small.retired(on(3), 's').defined(on(4), 's').log.slice(-2))
  await driven.settle()
  expect(await named()).toMatchObject({ members: 0, leaving: { count: 0 } })
})

it('named and compared segments are those at the position of the preview', async () => {
  const everyone = { everyone: true } as const
  const small = new SmallLog().created(on(0)).defined(on(1), 's', everyone)
  const driven = makeProjections()
  driven.addAll(small.log)
  await driven.settle()
  const asked = { rule: { segment: 's' }, against: 's' }
  const meanwhile = async () => {
    const later = small.defined(on(2), 's', { not: everyone }).log.slice(-1)
    driven.addAll(later)
    await driven.settle()
  }
  const { result } = await previewed(asking(driven), asked, { meanwhile })
  expect(result).toMatchObject({ members: 1, entering: { count: 0 }, leaving: { count: 0 } })
  const { result: after } = await previewed(asking(driven), { ...asked, rule: everyone })
  expect(after).toMatchObject({ members: 1, entering: { count: 1 } })
})

it('samples have the requested size, and are the same in parts as at once', async () => {
  const small = new SmallLog()
  for (let n = 0; n < 300; n += 1) small.created(on(n), {}, `c${String(n)}`)
  const driven = makeProjections()
  driven.addAll(small.log)
  const ask = asking(driven)
  const rule = { everyone: true } as const
  const { result: all } = await previewed(ask, { rule, sample: 100 })
  expect(all).toMatchObject({ entities: 300, members: 300, entering: { count: 300 } })
  const lowest = [...all.sample].map(({ digest }) => digest)
  expect(lowest).toEqual([...lowest].sort())
  const { result: some } = await previewed(ask, { rule, sample: 7 })
  expect(some.sample).toEqual(all.sample.slice(0, 7))
  expect(some.entering.sample).toEqual(some.sample)
  expect((await previewed(ask, { rule, sample: 0 })).result.sample).toEqual([])
  const half = { ...some, isWhole: false }
  const query = { rule, at: { position: Infinity, logTime: beginning }, soFar: half, sample: 7 }
  const again = (await ask('previewRule', query, { waitMs: 0 })).value
  expect(again).toEqual(some)
})

it('members are ranked by the count of events of the first condition, or by a sum over them', async () => {
  const small = new SmallLog()
  const orders = { a: [5, 1], b: [9], c: [1, 1, 1], d: [0.5] }
  for (const [id, totals] of Object.entries(orders)) {
    small.created(on(0), {}, id)
    for (const total of totals) small.event('order', on(1_000), undefined, { total }, id)
  }
  small.event('order', on(1_000), undefined, { total: 'much' }, 'd')
  small.event('order', on(1_000), on(0), { total: 99 }, 'd')
  small.event('order', on(1_000), on(2_000 - 60_000), { total: 7 }, 'b')
  small.event('paid', on(2_000), undefined, {}, 'd')
  const rule = { event: 'order', after: on(1), before: on(1_001) } as const
  const driven = makeProjections()
  driven.addAll(small.log)
  const rankedBy = async (asked: object, given: Rule = rule) =>
    (await previewed(asking(driven), { rule: given, ...asked })).result.top.map(
      ({ externalId, count, sum }) => [externalId, count, sum],
    )
  expect(await rankedBy({})).toEqual([
    ['c', 3, 0],
    ['a', 2, 0],
    ['d', 2, 0],
    ['b', 1, 0],
  ])
  const bySum = [
    ['b', 1, 9],
    ['a', 2, 6],
    ['c', 3, 3],
    ['d', 2, 0.5],
  ]
  expect(await rankedBy({ sum: '/total' })).toEqual(bySum)
  expect(await rankedBy({ sum: '/total' }, { all: [{ not: { event: 'paid' } }, rule] })).toEqual(
    bySum.slice(0, 3),
  )
  expect(await rankedBy({}, { not: rule })).toEqual([])
  expect(await rankedBy({}, { event: 'order', within: '1m' })).toContainEqual(['b', 1, 0])
})

it('lists the event names of the rule that no event has, and the existing event names', async () => {
  const small = new SmallLog().created(on(0)).event('purchase', on(1))
  small.created(on(0), {}, 'second').event('login', on(2), undefined, {}, 'second')
  const driven = makeProjections()
  driven.addAll(small.log)
  const events = async (rule: Rule) => (await previewed(asking(driven), { rule })).result.events
  const names = ['login', 'purchase']
  expect(await events({ event: 'buy' })).toEqual({ kinds: [], names, unseen: ['buy'] })
  const seen = { any: [{ event: 'login' }, { event: { starts_with: 'x' } }] } as const
  expect(await events(seen)).toEqual({ kinds: [], names, unseen: [] })
  for (let n = 0; n < 60; n += 1) small.event(`e${String(n)}`, on(3))
  driven.addAll(small.log.slice(-60))
  const { names: some, unseen } = await events({ event: 'e59' })
  expect(some).toHaveLength(51)
  expect([some.includes('e59'), unseen]).toEqual([true, []])
})
