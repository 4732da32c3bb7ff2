import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { compareMembers } from '../../../../../support/segments/compare-members.js'
import {
  CrashingProjections,
  type Ending,
} from '../../../../../support/segments/crashing-projections.js'
import {
  DrivenProjections,
  placesOfAFact,
} from '../../../../../support/segments/driven-projections.js'
import { withLogTime, type LogFact } from '../../../../../support/segments/log-facts.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'
import { temporaryFolders } from '../../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const numRuns = quickOrThorough({ quick: 1, thorough: 20 })
const commitMs = 500
/** The length of a slice in milliseconds. A slice of 0 ms does one piece of work. */
const pieceBySlice = 0

/** A transaction ends only when the test commits. */
beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: ['setImmediate', 'clearImmediate', 'nextTick', 'queueMicrotask', 'Date'],
  })
})
afterEach(() => {
  jest.useRealTimers()
})

const endings = [undefined, undefined, undefined, 'killed', 'failed', 'closed'] as const

interface Plan {
  /** The steps of background work before the facts so far are committed, and after. */
  readonly before: number
  readonly after: number
  readonly commits: boolean
  readonly ending: Ending | undefined
  /** The facts that the process has not read yet. */
  readonly slices: number
  /** Whether another process finishes the backfill and publishes `SegmentBuilt`. */
  readonly publishes: boolean
}

const plans = fc.array(
  fc.record<Plan>({
    before: fc.constantFrom(0, 1, 2, 3, Infinity),
    after: fc.constantFrom(0, 1, 2, 3),
    commits: fc.boolean(),
    ending: fc.constantFrom(...endings),
    slices: fc.constantFrom(1, 2, 5, Infinity),
    publishes: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
)

it('after a crash at any moment, the read model derives the same members', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistories, plans, async (history, given) => {
      const driven = new DrivenProjections()
      const crashing = new CrashingProjections(folder(), driven.log, pieceBySlice)
      try {
        await follow(driven, crashing, history, given)
      } finally {
        driven.close()
        crashing.close()
      }
    }),
    { numRuns },
  )
})

async function follow(
  driven: DrivenProjections,
  crashing: CrashingProjections,
  history: readonly LogFact[],
  given: readonly Plan[],
): Promise<void> {
  const log = withLogTime(history)
  for (const [index, fact] of history.entries()) {
    const plan = given[index % given.length]
    driven.add(fact)
    if (plan === undefined) continue
    await step(driven, crashing, plan)
    const known = log.filter(({ position }) => position * placesOfAFact <= crashing.position)
    await compareMembers(crashing, known)
    if (plan.ending === undefined) continue
    crashing.end(plan.ending)
    await compareMembers(crashing, log.slice(0, index + 1))
    await compareUnpublished(driven, crashing)
  }
  await driven.settle()
  crashing.catchUp()
  await crashing.work(Infinity)
  await compareMembers(crashing, log, 'all')
}

async function step(
  driven: DrivenProjections,
  crashing: CrashingProjections,
  { before, after, commits, slices, publishes }: Plan,
): Promise<void> {
  if (publishes) await driven.settle()
  crashing.catchUp(slices)
  await crashing.work(before)
  if (commits) jest.advanceTimersByTime(commitMs)
  await crashing.work(after)
}

/** Both processes derive the same facts to publish. */
async function compareUnpublished(driven: DrivenProjections, crashing: CrashingProjections) {
  const expected = await driven.query('unpublished', { except: [] })
  const found = await crashing.query('unpublished', { except: [] })
  expect(found.clockRevision).toBe(expected.clockRevision)
  for (const { stream, facts } of found.streams) {
    const same = expected.streams.find((other) => other.stream === stream)?.facts ?? []
    const both = Math.min(same.length, facts.length)
    expect(facts.slice(0, both)).toEqual(same.slice(0, both))
  }
}
