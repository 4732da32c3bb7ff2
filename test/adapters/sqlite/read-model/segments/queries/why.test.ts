import { expect, it, test } from '@jest/globals'
import fc from 'fast-check'
import type { PastBounds } from '../../../../../../src/application/segments/ports/segment-queries.js'
import type { Json, JsonObject } from '../../../../../../src/domain/json.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { withLogTime, type TimedFact } from '../../../../../support/segments/log-facts.js'
import {
  askedOf,
  membershipOf,
  ownFacts,
  trialKey,
  viewOf,
  withTrial,
  type Asked,
} from '../../../../../support/segments/naive-answers.js'
import { liveSegments, ruleHolds } from '../../../../../support/segments/naive-membership.js'
import { nodesOf, whyOf, type JudgedWhy } from '../../../../../support/segments/naive-why.js'
import { boundsIn, someBounds } from '../../../../../support/segments/random-bounds.js'
import { externalIds, segmentKeys } from '../../../../../support/segments/history-log.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'
import { beginning, randomRules } from '../../../../../support/segments/random-rules.js'
import type { Rule } from '../../../../../support/segments/rule-grammar.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const makeProjections = drivenProjections()
const numRuns = quickOrThorough({ quick: 4, thorough: 40 })
/** Instants beyond all instants of rules and facts. */
const far = [1, 86_400_000, 366 * 86_400_000, 50 * 366 * 86_400_000]
const day = 86_400_000
const on = (ms: number) => new Date(beginning + ms).toISOString()

const questions = fc.array(fc.record({ bounds: someBounds, rule: randomRules(segmentKeys) }), {
  minLength: 6,
  maxLength: 6,
})
const everybody = ['nobody knows', ...externalIds]

it('the explanation of an unsaved rule matches a naive evaluation at any bounds', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistories, questions, async (history, asked) => {
      const facts = history.filter(({ type }) => type !== 'SegmentBuilt')
      const log = withLogTime(facts)
      const driven = makeProjections()
      driven.addAll(facts)
      await driven.settle()
      for (const { bounds, rule } of asked) await compare(driven, log, boundsIn(log, bounds), rule)
    }),
    { numRuns },
  )
})

async function compare(
  driven: DrivenProjections,
  all: readonly TimedFact[],
  bounds: PastBounds,
  rule: Rule,
): Promise<void> {
  const asked = askedOf(all, bounds)
  const trial = { ...asked, log: withTrial(asked.log, rule) }
  const answers = await driven.query('evaluateRule', { ...bounds, rule, externalIds: everybody })
  expect(answers.map(({ externalId }) => externalId)).toEqual(everybody)
  for (const { externalId, membership } of answers) {
    const { why, periods, ...judged } = membership ?? {}
    const found = membership && { ...judged, periods: periods?.map(instantsOf) }
    const expected = membershipOf(trial, trialKey, externalId)
    const where = { bounds, rule, externalId }
    expect({ ...where, found }).toEqual({
      ...where,
      found: expected && { ...expected, periods: expected.periods.map(instantsOf) },
    })
    if (why !== undefined) compareWhy(trial, rule, externalId, why)
  }
}

interface At {
  readonly at?: string | undefined
}

function instantsOf({ entered, left }: { entered: At; left: At | undefined }) {
  return [entered.at, left?.at]
}

/** Compares the findings of each node with the naive evaluation, and checks how they change. */
function compareWhy(asked: Asked, rule: Rule, externalId: string, why: object): void {
  const entity = viewOf(asked, externalId)
  if (entity === undefined) throw new Error('an entity that was not there is explained')
  const segments = liveSegments(asked.log)
  const judged = whyOf(rule, {
    segments,
    entity,
    facts: ownFacts(asked, externalId),
    T: asked.T,
  })
  expect({ externalId, why }).toEqual({ externalId, why: judged })
  for (const [node, found] of nodesOf(rule, judged)) {
    const holdsAt = (T: number) => ruleHolds(segments, node, entity, T)
    compareUntil(found, asked.T, holdsAt)
    if (!isBorneByEvidence(found)) continue
    const ids = found.evidence?.map(({ fact_id }) => fact_id) ?? []
    const log = asked.log.filter(({ id }) => !ids.includes(id))
    const without = viewOf({ ...asked, log }, externalId)
    expect(without && ruleHolds(segments, node, without, asked.T)).toBe(false)
  }
}

function compareUntil(
  { holds, until }: JudgedWhy,
  T: number,
  holdsAt: (T: number) => boolean,
): void {
  const others = until === null ? far.map((ms) => T + ms) : [Date.parse(until) - 1]
  expect(others.map(holdsAt)).toEqual(others.map(() => holds))
  if (until !== null) expect(holdsAt(Date.parse(until))).toBe(!holds)
}

function isBorneByEvidence({ holds, needed }: JudgedWhy): boolean {
  return holds && needed !== undefined && 'gte' in needed && needed.gte > 0
}

/** Returns the explanation for `ada` at the end of a log. */
async function membershipAfter(small: SmallLog, rule: Rule) {
  const driven = makeProjections()
  driven.addAll(small.log)
  const [found] = await driven.query('evaluateRule', { rule, externalIds: ['ada'] })
  return found?.membership
}

test('an event leaves a window exactly at the end of the window', async () => {
  const rule = { event: 'buy', within: '1m' }
  const small = new SmallLog().created(on(0)).event('buy', on(5)).passed(on(60_004))
  const until = on(60_005)
  const before = { holds: true, counted: 1, until }
  expect((await membershipAfter(small, rule))?.why).toMatchObject(before)
  const after = { holds: false, counted: 0, evidence: [], until: null }
  expect((await membershipAfter(small.passed(until), rule))?.why).toMatchObject(after)
})

test('until is the instant at which the whole rule changes, not one part of it', async () => {
  const lately = { event: 'buy', within: '7d' }
  const rule = { any: [{ not: { event: 'buy', within: '1d' } }, lately] }
  const small = new SmallLog().created(on(0)).event('buy', on(5))
  const found = await membershipAfter(small, rule)
  expect(found).toMatchObject({ member: true, until: undefined })
  expect(found?.why).toMatchObject({
    until: null,
    any: [
      { holds: false, until: on(5 + day) },
      { holds: true, until: on(5 + 7 * day) },
    ],
  })
})

test('evidence lists the newest 100 events, and the count includes all events', async () => {
  const small = new SmallLog().created(on(0))
  for (let n = 0; n < 150; n += 1) small.event('buy', on(1_000 + n))
  const rule = { event: 'buy', within: '1m', count: { gte: 100 } } as const
  const found = await membershipAfter(small, rule)
  const ids = small.log.slice(51).map(({ id, position }) => [id, on(998 + position)])
  expect(found?.why).toEqual({
    ...rule,
    holds: true,
    counted: 150,
    needed: { gte: 100 },
    evidence: ids.reverse().map(([fact_id, occurred_at]) => ({ fact_id, occurred_at })),
    until: on(1_050 + 60_000),
  })
})

const due = { property: '/due', is: { after: '2026-01-01' } } as const

test.each<[string, Json]>([
  ['a number', 1_763_900_000],
  ['a text without an offset', '2026-11-23 10:00'],
  ['a day that the calendar lacks', '2026-02-30'],
  ['an empty text', ''],
  ['null', null],
  ['true', true],
  ['a list of times', ['2026-11-23']],
  ['an object', { at: '2026-11-23' }],
])('a test of a time says of %s that it is no time', async (_, value) => {
  const small = new SmallLog().created(on(0), { due: value })
  const why = { ...due, holds: false, value, not_a_time: true, until: null }
  expect((await membershipAfter(small, due))?.why).toEqual(why)
  const inParts = {
    any: [{ not: due }, { all: [{ property: '/due', is: { before: { ago: '1d' } } }] }],
  }
  expect((await membershipAfter(small, inParts))?.why).toMatchObject({
    any: [
      { holds: true, not: why },
      { holds: false, all: [{ holds: false, value, not_a_time: true }] },
    ],
  })
})

test.each<[string, Rule, JsonObject]>([
  ['a time that passes it', due, { due: '2026-11-23T10:00:00+01:00' }],
  ['a day that does not pass it', due, { due: '2025-11-23' }],
  ['a value that is not there', due, {}],
  ['a value inside one that is not there', { ...due, property: '/due/at' }, { due: 3 }],
])('a test of a time does not say of %s that it is no time', async (_, rule, properties) => {
  const small = new SmallLog().created(on(0), properties)
  expect((await membershipAfter(small, rule))?.why).not.toHaveProperty('not_a_time')
})

test('a test of a value, and one that is sustained, do not say that a value is no time', async () => {
  const small = new SmallLog().created(on(0), { due: 3 })
  for (const rule of [
    { property: '/due', is: { eq: 4 } },
    { property: '/due', is: { eq: 4 }, for: '1d' },
  ]) {
    expect((await membershipAfter(small, rule))?.why).not.toHaveProperty('not_a_time')
  }
})
