import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { segmentKeys } from '../../../../../support/segments/history-log.js'
import {
  withLogTime,
  type LogFact,
  type TimedFact,
} from '../../../../../support/segments/log-facts.js'
import { entitiesOf, liveSegments } from '../../../../../support/segments/naive-membership.js'
import { recordedChanges, sinceOf } from '../../../../../support/segments/naive-timeline.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'
import { beginning } from '../../../../../support/segments/random-rules.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const makeProjections = drivenProjections()
const numRuns = quickOrThorough({ quick: 3, thorough: 100 })
const timeoutMs = quickOrThorough({ quick: 120_000, thorough: 900_000 })
const dayMs = 86_400_000

it(
  'who entered and left is what the log holds, and how many there were each day follows from a naive evaluation, also after a build',
  async () => {
    await fc.assert(
      fc.asyncProperty(randomHistories, async (history) => {
        const driven = makeProjections()
        await driven.settleAfterEach(history)
        await compare(driven, history)
        await driven.rebuild()
        await driven.settle()
        await compare(driven, history)
      }),
      { numRuns },
    )
  },
  timeoutMs,
)

async function compare(driven: DrivenProjections, history: readonly LogFact[]): Promise<void> {
  const log = withLogTime(history)
  const live = liveSegments(log)
  for (const key of segmentKeys) {
    const changes = await allChanges(driven, key, 3)
    const curve = await driven.query('segmentCurve', { key, since: 0 })
    if (live.has(key)) {
      expect(changes).toEqual(published(driven, log, key))
      expect(curve).toEqual(naiveCurve(log, key))
      continue
    }
    expect([changes, curve]).toEqual([undefined, undefined])
  }
}

/** Reads all pages. */
async function allChanges(driven: DrivenProjections, key: string, limit: number) {
  const found: object[] = []
  for (let after: { at: number; position: number } | undefined; ;) {
    const page = await driven.query('segmentChanges', { key, after, limit })
    if (page === undefined) return undefined
    found.push(...page.items)
    if (page.next === undefined) return found
    expect(page.items).toHaveLength(limit)
    after = page.next
  }
}

/** When the key was first defined, or defined again after a retirement. */
function bornAt(log: readonly TimedFact[], key: string): TimedFact {
  const own = log.filter(
    ({ type, data }) =>
      (type === 'SegmentDefined' || type === 'SegmentRetired') &&
      'segment' in data &&
      data.segment === key,
  )
  const first = own[own.findLastIndex(({ type }) => type === 'SegmentRetired') + 1]
  if (first === undefined) throw new Error(`${key} was never defined`)
  return first
}

/** The published changes in the segment's stream, newest first. */
function published(driven: DrivenProjections, log: readonly TimedFact[], key: string) {
  const ids = new Map(entitiesOf(log).map(({ entityId, externalId }) => [entityId, externalId]))
  const from = bornAt(log, key).position * 10_000
  return driven.log
    .filter(
      ({ stream, type, position }) =>
        stream === `members-${key}` && type !== 'SegmentBuilt' && position > from,
    )
    .map(({ type, data }) => {
      const { entityId, at, cause } = JSON.parse(data) as {
        entityId: string
        at: string
        cause: object
      }
      return {
        externalId: ids.get(entityId),
        at,
        enters: type === 'EntityEnteredSegment',
        cause,
      }
    })
    .reverse()
}

function naiveCurve(log: readonly TimedFact[], key: string) {
  const last = log.at(-1)?.logTime ?? 0
  const changes = entitiesOf(log).map(({ externalId }) => recordedChanges(log, key, externalId))
  const items: object[] = []
  const first = Math.floor(bornAt(log, key).logTime / dayMs)
  for (let day = first; day <= Math.floor(last / dayMs); day += 1) {
    const end = Math.min((day + 1) * dayMs - 1, last)
    const isIn = (own: ReturnType<typeof recordedChanges>) =>
      sinceOf(own.filter(({ at }) => at <= end)) !== undefined
    const members = changes.filter(isIn).length
    items.push({ day: new Date(day * dayMs).toISOString().slice(0, 10), members })
  }
  return items
}

const on = (ms: number) => new Date(beginning + ms).toISOString()

it('since and until limit changes and days, and a day without changes repeats the last count', async () => {
  const rule = { event: 'buy', within: '3d' } as const
  const small = new SmallLog().created(on(0)).defined(on(1), 's', rule).event('buy', on(2))
  const driven = makeProjections()
  await driven.settleAfterEach(small.passed(on(5 * dayMs)).log)
  const changes = async (since?: number, until?: number) =>
    (await driven.query('segmentChanges', { key: 's', since, until, limit: 9 }))?.items.map(
      ({ enters }) => enters,
    )
  const [entered, left] = [beginning + 2, beginning + 2 + 3 * dayMs]
  expect(await changes()).toEqual([false, true])
  expect(await changes(entered, left)).toEqual([true])
  expect(await changes(entered + 1, left + 1)).toEqual([false])
  expect(await changes(entered + 1, left)).toEqual([])
  const days = async (since?: number, until?: number) =>
    (await driven.query('segmentCurve', { key: 's', since, until }))?.map(
      ({ day, members }) => `${day.slice(-2)} ${String(members)}`,
    )
  expect(await days()).toEqual(['05 1', '06 1', '07 1', '08 0', '09 0', '10 0'])
  const midnight = Math.ceil(beginning / dayMs) * dayMs
  expect(await days(midnight, midnight + dayMs)).toEqual(['06 1'])
  expect(await days(midnight, midnight + dayMs + 1)).toEqual(['06 1', '07 1'])
  expect(await days(midnight, midnight)).toEqual([])
})
