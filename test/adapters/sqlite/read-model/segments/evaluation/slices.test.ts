import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { LoggedFact } from '../../../../../../src/application/facts/ports/fact-log.js'
import {
  CrashingProjections,
  type Ending,
} from '../../../../../support/segments/crashing-projections.js'
import { DrivenProjections } from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { temporaryFolders } from '../../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const kept = temporaryFolders(afterAll)
/** The length of a slice in milliseconds. A slice of 0 ms does one piece of work. */
const pieceBySlice = 0
const entities = 12
const externalIds = Array.from({ length: entities }, (_, n) =>
  n === 0 ? 'ada' : `entity ${String(n)}`,
)

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()

/** The first facts of the store, and the file of a read model that has applied them. */
let first: readonly LoggedFact[]
let file: string
/** The facts of the store, and the answers of a process that evaluates everything in one slice. */
let log: LoggedFact[]
let midnight: readonly LoggedFact[]
let whole: unknown
let crashing: CrashingProjections

/** At one instant, all entities leave `s1` and `s3`, and all but one leave `s2`. */
beforeAll(async () => {
  const small = new SmallLog()
  for (const externalId of externalIds) small.created(at(0), { ends: at(30) }, externalId)
  const days = { property: '/ends', is: { after: { ago: '10m' } } }
  small.event('buy', at(1)).defined(at(2), 's1', days)
  small.defined(at(2), 's2', { any: [{ segment: 's1' }, { event: 'buy', within: '2h' }] })
  small.defined(at(2), 's3', { segment: 's1' })
  const driven = new DrivenProjections()
  driven.addAll(small.log)
  await driven.settle()
  first = [...driven.log]
  const passed = small.passed(at(50)).log.at(-1)
  if (passed !== undefined) driven.add(passed)
  whole = await answersOf(driven)
  midnight = driven.log.slice(first.length)
  driven.close()
  const place = kept()
  const applied = new CrashingProjections(place, first, pieceBySlice)
  applied.catchUp()
  await applied.work(Infinity)
  applied.close()
  file = join(place, 'read-model-0.db')
})

/** Opens a copy of the file. */
function opened(): CrashingProjections {
  const place = folder()
  copyFileSync(file, join(place, 'read-model-0.db'))
  return new CrashingProjections(place, log, pieceBySlice)
}

beforeEach(() => {
  log = [...first]
  crashing = opened()
})
afterEach(() => {
  crashing.close()
})

/** Returns the answers that depend on the current members. */
async function answersOf(asked: Pick<DrivenProjections, 'query'>): Promise<readonly unknown[]> {
  const answers: unknown[] = [await asked.query('segments', {})]
  for (const key of ['s1', 's2', 's3']) {
    answers.push(await asked.query('segment', { key }))
    answers.push(await asked.query('segmentMembers', { key, limit: 100 }))
    answers.push(await asked.query('segmentMembers', { key, limit: 100, properties: ['/ends'] }))
  }
  for (const externalId of externalIds) {
    answers.push(await asked.query('entitySegments', { externalId }))
    answers.push(await asked.query('profile', { externalId }))
    answers.push(await asked.query('explainSegment', { externalId, key: 's1' }))
  }
  return answers
}

it('while due entities still have to leave, answers are exact for the position and log time they name', async () => {
  const before = await answersOf(crashing)
  const place = await crashing.answer('segments', {})
  log.push(...midnight)
  let slices = 0
  while (!crashing.catchUp(1)) {
    slices += 1
    expect(await crashing.answer('segments', {})).toEqual(place)
    expect(await answersOf(crashing)).toEqual(before)
  }
  expect(slices).toBeGreaterThanOrEqual(entities)
  expect(await answersOf(crashing)).toEqual(whole)
  expect(before).not.toEqual(whole)
})

it('while due entities still have to leave, nothing is published', async () => {
  log.push(...midnight)
  crashing.catchUp(1)
  await expect(crashing.query('unpublished', { except: [] })).rejects.toMatchObject({
    code: 'read_model_behind',
  })
  crashing.catchUp()
  const { streams } = await crashing.query('unpublished', { except: [] })
  expect(streams.map(({ facts }) => facts.length)).toEqual([entities, entities - 1, entities])
})

it.each<Ending>(['killed', 'failed', 'closed'])(
  '%s while they leave, the read model begins again where it was before',
  async (ending) => {
    const before = await answersOf(crashing)
    const { position } = crashing
    crashing.follow([...log, ...midnight])
    expect(crashing.catchUp(3)).toBe(false)
    crashing.follow(log)
    crashing.end(ending)
    expect(crashing.position).toBe(position)
    expect(await answersOf(crashing)).toEqual(before)
  },
)

it.each(
  quickOrThorough<readonly Ending[]>({
    quick: ['killed'],
    thorough: ['killed', 'failed', 'closed'],
  }),
)('%s after any slice, the read model comes to the same members', async (ending) => {
  log.push(...midnight)
  for (let slices = 1; !crashing.catchUp(slices); slices += 1) {
    crashing.end(ending)
    expect(await answersOf(crashing)).toEqual(whole)
    crashing.close()
    crashing = opened()
  }
  expect(await answersOf(crashing)).toEqual(whole)
})
