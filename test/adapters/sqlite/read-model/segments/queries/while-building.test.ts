import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { FactReader } from '../../../../../../src/adapters/sqlite/file/fact-reader.js'
import type { PastBounds } from '../../../../../../src/application/segments/ports/segment-queries.js'
import { StateView } from '../../../../../../src/domain/segments/membership/entity-state.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const instant = (minute: number) => Date.UTC(2026, 10, 20, 9, minute)
const at = (minute: number) => new Date(instant(minute)).toISOString()
const externalId = 'ada'

const makeProjections = drivenProjections()
let driven: DrivenProjections

beforeEach(() => {
  driven = makeProjections()
})
afterEach(() => {
  jest.restoreAllMocks()
})

/** Defines two segments that contain `ada`. The first is served, and the second is never backfilled. */
async function oneOfTwoServed(): Promise<void> {
  const { log } = new SmallLog()
    .created(at(0), { plan: 'paid' })
    .defined(at(1), 'payers', { property: '/plan', is: { eq: 'paid' } })
    .defined(at(2), 'all', { everyone: true })
  for (const fact of log) {
    await driven.settle()
    driven.add(fact)
  }
}

/** Returns the segments of `ada`, from the list of segments and from the profile. */
async function segmentsOf(bounds: PastBounds = {}) {
  const isOfNow = bounds.asOf === undefined && bounds.knownAt === undefined
  const list = await driven.query('entitySegments', { externalId, ...bounds })
  const profile = isOfNow
    ? await driven.query('profile', { externalId })
    : await driven.query('profileAt', { externalId, ...bounds })
  return {
    list: { in: list?.items.map(({ key }) => key), building: list?.building },
    profile: { in: profile?.segments.map(({ key }) => key), building: profile?.segmentsBuilding },
  }
}

const both = (keys: readonly string[], building: readonly string[]) => ({
  list: { in: keys, building },
  profile: { in: keys, building },
})

describe('the segments of an entity while a new segment is backfilled', () => {
  it('are returned, and the new segment is listed as building', async () => {
    await oneOfTwoServed()
    expect(await segmentsOf()).toEqual(both(['payers'], ['all']))
    await driven.settle()
    expect(await segmentsOf()).toEqual(both(['all', 'payers'], []))
  })

  it('are returned as of an instant, and the new segment is listed as building', async () => {
    await oneOfTwoServed()
    expect(await segmentsOf({ asOf: instant(0) })).toEqual(both(['payers'], ['all']))
    await driven.settle()
    expect(await segmentsOf({ asOf: instant(0) })).toEqual(both(['all', 'payers'], []))
  })

  it('include every segment defined by known_at, built or not', async () => {
    await oneOfTwoServed()
    expect(await segmentsOf({ knownAt: instant(2) })).toEqual(both(['all', 'payers'], []))
    expect(await segmentsOf({ knownAt: instant(1) })).toEqual(both(['payers'], []))
  })
})

it('a served version that this read model has not backfilled is listed as building', async () => {
  await oneOfTwoServed()
  await driven.settle()
  await driven.rebuild(0)
  expect(await segmentsOf()).toEqual(both([], ['all', 'payers']))
  // A query about the past folds the facts, and needs no stored members.
  expect(await segmentsOf({ asOf: instant(2) })).toEqual(both(['all', 'payers'], []))
  await driven.work(Infinity)
  expect(await segmentsOf()).toEqual(both(['all', 'payers'], []))
})

it('a segment with the rule of a later program is listed as building, and never explained', async () => {
  const { log } = new SmallLog().created(at(0)).defined(at(1), 'later', { everyone: true }, 2)
  driven.addAll(log)
  const built = { version: 1, resolved: {}, through: log[1]?.id ?? '', members: 1 }
  const data = { segment: 'later', ...built, digest: '0000000000000001', builtAt: at(1) }
  driven.publishFact({ type: 'SegmentBuilt', data })
  for (const bounds of [{}, { asOf: instant(1) }, { knownAt: instant(1) }]) {
    expect(await segmentsOf(bounds)).toEqual(both([], ['later']))
    const asked = { ...bounds, externalId, key: 'later' }
    await expect(driven.query('explainSegment', asked)).rejects.toMatchObject({ code: 'building' })
    const rule = { segment: 'later' }
    const evaluated = driven.query('evaluateRule', { ...bounds, rule, externalIds: [externalId] })
    await expect(evaluated).rejects.toMatchObject({ code: 'building' })
  }
})

it('a profile evaluates no rule, because it has no until of a segment', async () => {
  const small = new SmallLog()
    .created(at(0))
    .defined(at(1), 'buyers', { event: 'buy', within: '1h' })
    .event('buy', at(2))
  driven.addAll(small.log)
  await driven.settle()
  const evaluated = jest.spyOn(StateView.prototype, 'instantsOf')
  const profile = await driven.query('profile', { externalId })
  expect(profile?.segments).toEqual([{ key: 'buyers', since: at(2) }])
  expect(evaluated).not.toHaveBeenCalled()
  const list = await driven.query('entitySegments', { externalId })
  expect(list?.items).toMatchObject([{ key: 'buyers', until: at(62) }])
  expect(evaluated).toHaveBeenCalled()
})

it('a past profile reads each fact of its entity once', async () => {
  await oneOfTwoServed()
  await driven.settle()
  const read = jest.spyOn(FactReader.prototype, 'stored')
  await driven.query('profileAt', { externalId, asOf: instant(2) })
  expect(read.mock.calls.flatMap(([positions]) => [...positions])).toHaveLength(1)
})
