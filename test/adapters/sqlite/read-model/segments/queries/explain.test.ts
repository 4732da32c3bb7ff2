import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import type {
  Explanation,
  PastBounds,
  PeriodBound,
} from '../../../../../../src/application/segments/ports/segment-queries.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import {
  withLogTime,
  type LogFact,
  type TimedFact,
} from '../../../../../support/segments/log-facts.js'
import {
  askedOf,
  kindOf,
  membershipOf,
  viewOf,
} from '../../../../../support/segments/naive-answers.js'
import { liveSegments } from '../../../../../support/segments/naive-membership.js'
import { boundsIn, someBounds } from '../../../../../support/segments/random-bounds.js'
import { externalIds, segmentKeys } from '../../../../../support/segments/history-log.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'

const makeProjections = drivenProjections()
const numRuns = quickOrThorough({ quick: 2, thorough: 40 })

const questions = fc.array(
  fc.record({
    externalId: fc.constantFrom('ada', 'ada', ...externalIds),
    key: fc.constantFrom(...segmentKeys),
    bounds: someBounds,
  }),
  { minLength: 8, maxLength: 8 },
)

type Question = typeof questions extends fc.Arbitrary<readonly (infer One)[]> ? One : never

it('membership, since, until and periods match a naive evaluation at any bounds', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistories, questions, async (history, asked) => {
      const driven = makeProjections()
      // The projections publish `SegmentBuilt` themselves.
      const facts = history.filter(({ type }) => type !== 'SegmentBuilt')
      driven.addAll(facts)
      for (const question of asked) await compare(driven, facts, question)
      await driven.settle()
      for (const question of asked) await compare(driven, facts, question)
    }),
    { numRuns },
  )
})

/** Without `knownAt`, segments under backfill are not compared. */
async function compare(
  driven: DrivenProjections,
  history: readonly LogFact[],
  { externalId, key, bounds: some }: Question,
): Promise<void> {
  const log = withLogTime(history)
  const bounds = boundsIn(log, some)
  const infos = await driven.query('segments', {})
  const building = infos.filter(({ status }) => status !== 'live').map((info) => info.key)
  const isJudged = (one: string) => bounds.knownAt !== undefined || !building.includes(one)
  const asked = askedOf(log, bounds)
  const live = [...liveSegments(asked.log)].toSorted(([left], [right]) => (left < right ? -1 : 1))
  const segments = live.flatMap(([one, { version }]) => {
    const membership = isJudged(one) ? membershipOf(asked, one, externalId) : undefined
    return membership === undefined ? [] : [{ segment: one, version, ...membership }]
  })
  const where = { externalId, bounds }

  if (isJudged(key)) {
    const found = await driven.query('explainSegment', { ...bounds, externalId, key })
    const expected = segments.find(({ segment }) => segment === key)
    expect({ ...where, ...judgedPart(found.explanation, bounds, log) }).toEqual({
      ...where,
      ...expected,
    })
    if (live.some(([one]) => one === key)) {
      expect(found.entityExists).toBe(viewOf(asked, externalId) !== undefined)
    }
  }
  const members = segments.filter(({ member }) => member)
  const found = await driven.query('entitySegments', { ...bounds, externalId })
  expect({ ...where, in: found?.items.filter((one) => isJudged(one.key)) ?? [] }).toEqual({
    ...where,
    in: members.map(({ segment, version, since, until }) => ({
      key: segment,
      version,
      since,
      until,
    })),
  })
  const unserved = infos.filter((info) => info.servingVersion === undefined).map((info) => info.key)
  const expected = found === undefined || bounds.knownAt !== undefined ? [] : unserved
  expect({ ...where, building: found?.building ?? [] }).toEqual({ ...where, building: expected })
  const profile = await profileOf(driven, externalId, bounds)
  expect({ ...where, in: profile.filter((one) => isJudged(one.key)) }).toEqual({
    ...where,
    in: members.map(({ segment, since }) => ({ key: segment, since })),
  })
}

async function profileOf(driven: DrivenProjections, externalId: string, bounds: PastBounds) {
  const isBounded = bounds.asOf !== undefined || bounds.knownAt !== undefined
  const profile = isBounded
    ? await driven.query('profileAt', { externalId, ...bounds })
    : await driven.query('profile', { externalId })
  return profile?.segments ?? []
}

/**
 * The part of an explanation that the naive evaluation also gives. It gives no causes in valid time, because several
 * facts may take effect at one instant. It also does not name a segment as the cause.
 */
function judgedPart(
  explanation: Explanation | undefined,
  { asOf }: PastBounds,
  log: readonly TimedFact[],
) {
  if (explanation === undefined) return undefined
  const { why: _, ...judged } = explanation
  const turnOf = ({ at, cause }: PeriodBound) =>
    asOf === undefined ? { at, cause: behind(cause, log) } : { at }
  const periods = judged.periods.map(({ entered, left }) => ({
    entered: turnOf(entered),
    left: left && turnOf(left),
  }))
  return { ...judged, periods }
}

function behind(cause: PeriodBound['cause'], log: readonly TimedFact[]): PeriodBound['cause'] {
  if (cause.kind !== 'segment') return cause
  const fact = log.find(({ id }) => id === cause.factId)
  return { ...cause, kind: (fact && kindOf(fact)) ?? 'time' }
}
