import { beforeEach, expect, it } from '@jest/globals'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'

const at = (minute: number, second = 0) =>
  new Date(Date.UTC(2026, 10, 20, 9, minute, second)).toISOString()
/** The length of a slice in milliseconds. A slice of 0 ms does one piece of work. */
const pieceBySlice = 0
const events = 300
const externalId = 'ada'

const makeProjections = drivenProjections()
let driven: DrivenProjections
let small: SmallLog

/** `ada` has more facts than one step takes, and `bob` was created after `ada`. */
beforeEach(() => {
  driven = makeProjections(undefined, undefined, pieceBySlice)
  small = new SmallLog().created(at(0))
  for (let n = 0; n < events; n += 1) small.event(n % 3 === 0 ? 'look' : 'buy', at(1, n % 60))
  small.created(at(2), {}, 'bob')
  small.defined(at(3), 'busy', { event: 'buy', within: '30m', count: { gte: 100 } })
  small.defined(at(3), 'calm', { not: { segment: 'busy' } })
  driven.addAll(small.log)
})

function happens(add: (log: SmallLog) => SmallLog): void {
  const fact = add(small).log.at(-1)
  if (fact !== undefined) driven.add(fact)
}

/** Returns the answers that depend on the members. */
async function answers(): Promise<readonly unknown[]> {
  return [
    await driven.query('segments', {}),
    await driven.query('segmentMembers', { key: 'busy', limit: 10 }),
    await driven.query('segmentMembers', { key: 'calm', limit: 10 }),
    await driven.query('entitySegments', { externalId }),
    await driven.query('profile', { externalId }),
  ]
}

async function progress(): Promise<number | undefined> {
  return (await driven.query('segment', { key: 'busy' }))?.progress
}

async function members(): Promise<unknown> {
  return (await driven.query('segmentMembers', { key: 'busy', limit: 10 }))?.items
}

it('a large entity is replayed in several steps, including facts recorded between the steps', async () => {
  const seen: (number | undefined)[] = []
  for (let index = 0; index < 12; index += 1) {
    await driven.work(1)
    seen.push(await progress())
    happens((log) => log.event('buy', at(4, index)))
  }
  expect(seen.slice(0, 2)).toEqual([0, 0])
  await driven.settle()
  happens((log) => log.passed(at(33, 30)))
  await driven.settle()
  const built = await answers()
  expect(built).toMatchObject([
    [{ status: 'live', members: 0 }, { members: 2 }],
    { items: [] },
    { items: [{ externalId }, { externalId: 'bob' }] },
    { items: [{ key: 'calm' }] },
    {},
  ])
  await driven.rebuild()
  expect(await answers()).toEqual(built)
})

it('the replay of a partly replayed entity restarts after another definition', async () => {
  await driven.work(2)
  expect(await progress()).toBe(0)
  happens((log) => log.defined(at(5), 'busy', { event: 'buy', within: '1m', count: { gte: 100 } }))
  happens((log) => log.defined(at(5), 'lookers', { event: 'look', count: { gte: 100 } }))
  await driven.settle()
  const built = await answers()
  expect(built).toMatchObject([
    [
      { key: 'busy', servingVersion: 2, members: 0 },
      { members: 2 },
      { key: 'lookers', members: 1 },
    ],
    { items: [] },
    {},
    {},
    {},
  ])
  await driven.rebuild()
  expect(await answers()).toEqual(built)
})

it('the search for a late change takes several steps of a replay, and facts are recorded between the steps', async () => {
  driven = makeProjections(undefined, undefined, pieceBySlice)
  const changes = 1_000
  small = new SmallLog().created(at(0), { plan: 'paid' })
  for (let n = 0; n < changes; n += 1) small.changed(at(1), { n })
  small.changed(at(2), { plan: 'paid' }).changed(at(3), { plan: 'free' }, [], at(0, 1))
  small.defined(at(3), 'busy', { property: '/plan', is: { eq: 'paid' }, for: '10m' })
  driven.addAll(small.log)
  let steps = 0
  for (; (await progress()) !== 1; steps += 1) {
    await driven.work(1)
    if (steps < 40) happens((log) => log.changed(at(4), { n: -steps }))
  }
  // The replay takes 128 facts in a step. The search reads at most 64 changes in a step.
  expect(steps).toBeGreaterThan(changes / 128 + changes / 64)
  await driven.settle()
  happens((log) => log.passed(at(11)))
  await driven.settle()
  expect(await members()).toEqual([])
  happens((log) => log.passed(at(12, 30)))
  await driven.settle()
  expect(await members()).toMatchObject([{ externalId }])
})
