import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import type { LoggedFact } from '../../../../../../src/application/facts/ports/fact-log.js'
import {
  CrashingProjections,
  type Ending,
} from '../../../../../support/segments/crashing-projections.js'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { DrivenProjections } from '../../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const commitMs = 500
/** More entities than one step of any work takes. */
const entities = 520
const turnsOfTheFirstBuild = 2

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString()

beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'Date'],
  })
})
afterEach(() => {
  jest.useRealTimers()
})

type Asked = Pick<DrivenProjections, 'query'>

/** The facts of the store as it grows, and the answers of a process that never ends. */
interface Course {
  readonly before: readonly LoggedFact[]
  /** Facts that define two segments. */
  readonly defined: readonly LoggedFact[]
  /** Facts that retire both segments before their backfill ends, and define another segment. */
  readonly overtaken: readonly LoggedFact[]
  readonly unpublished: unknown
  readonly built: readonly LoggedFact[]
  readonly members: unknown
}

async function course(): Promise<Course> {
  const small = new SmallLog()
  for (let n = 0; n < entities; n += 1) {
    small.created(at(n % 3), { n: n % 5 }, n === 0 ? 'ada' : `entity ${String(n)}`)
  }
  small.event('buy', at(4)).event('buy', at(5))
  const before = small.log.length
  small.defined(at(6), 's1', { property: '/n', is: { gt: 1 } })
  small.defined(at(6), 's2', { all: [{ segment: 's1' }, { created: { before: at(9) } }] })
  const defined = small.log.length
  small.retired(at(8), 's2').retired(at(8), 's1')
  const twice = { event: 'buy', count: { eq: 2 } }
  small.defined(at(9), 's1', { any: [twice, { property: '/n', is: { eq: 4 } }] })
  small.passed(at(10))
  const driven = new DrivenProjections()
  driven.addAll(small.log)
  await driven.work(Infinity)
  const unpublished = await driven.query('unpublished', { except: [] })
  const all = driven.log.length
  await driven.settle()
  const { log } = driven
  const members = await membersOf(driven)
  driven.close()
  return {
    before: log.slice(0, before),
    defined: log.slice(before, defined),
    overtaken: log.slice(defined, all),
    unpublished,
    built: log.slice(all),
    members,
  }
}

function membersOf(asked: Asked) {
  return asked.query('segmentMembers', { key: 's1', limit: 1_000 })
}

/** The file of a read model that has applied the facts before. */
async function preparedFile(before: readonly LoggedFact[]): Promise<string> {
  const place = folder()
  const first = new CrashingProjections(place, before)
  first.catchUp()
  await first.work(Infinity)
  first.close()
  return join(place, 'read-model-0.db')
}

const endings: readonly (readonly [Ending, boolean])[] = [
  ['failed', false],
  ...quickOrThorough<readonly (readonly [Ending, boolean])[]>({
    quick: [],
    thorough: [
      ['killed', true],
      ['killed', false],
      ['failed', true],
      ['closed', true],
    ],
  }),
]

it.each(endings)(
  'catches up when ended (%s, committed: %s) after any step of a backfill',
  async (how, commits) => {
    const known = await course()
    const file = await preparedFile(known.before)
    let turns = 0
    while (await isEndedAfter(turns)) turns += 1
    expect(turns).toBeGreaterThan(8)

    /** Returns false when there was less work to do. */
    async function isEndedAfter(limit: number): Promise<boolean> {
      const place = folder()
      copyFileSync(file, join(place, 'read-model-0.db'))
      const log = [...known.before, ...known.defined]
      const crashing = new CrashingProjections(place, log)
      let left = limit
      const work = async (most: number) => {
        left -= await crashing.work(Math.min(left, most))
        if (left > 0) return
        left = Infinity
        if (commits) jest.advanceTimersByTime(commitMs)
        crashing.end(how)
      }
      crashing.catchUp()
      await work(turnsOfTheFirstBuild)
      log.push(...known.overtaken)
      crashing.catchUp()
      const isEnded = left === Infinity
      if (!isEnded) await work(left)
      const isEndedNow = left === Infinity
      await crashing.work(Infinity)
      expect(await crashing.query('unpublished', { except: [] })).toEqual(known.unpublished)
      log.push(...known.built)
      crashing.catchUp()
      await crashing.work(Infinity)
      expect(await membersOf(crashing)).toEqual(known.members)
      crashing.close()
      return isEndedNow
    }
  },
)
