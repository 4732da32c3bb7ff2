import { afterEach, expect, it, jest } from '@jest/globals'
import fc from 'fast-check'
import { EntityChanges } from '../../../../../src/adapters/sqlite/read-model/entity-log/entity-changes.js'
import { Pace } from '../../../../../src/adapters/sqlite/read-model/slice.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'
import { compareMembers } from '../../../../support/segments/compare-members.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../support/segments/driven-projections.js'
import { withLogTime, type LogFact } from '../../../../support/segments/log-facts.js'
import { lateHistories } from '../../../../support/segments/late-histories.js'
import { randomHistories } from '../../../../support/segments/random-histories.js'

const makeProjections = drivenProjections()
afterEach(() => {
  jest.restoreAllMocks()
})
const numRuns = quickOrThorough({ quick: 2, thorough: 50 })

const timeoutMs = quickOrThorough({ quick: 120_000, thorough: 900_000 })

/** The steps of background work after a fact: some, all, or none. */
const efforts = fc.array(fc.constantFrom(0, 1, 2, Infinity), { minLength: 1, maxLength: 20 })

it.each([
  ['facts of all kinds', randomHistories, 1],
  ['late changes', lateHistories, 8],
])(
  'members, their number, digest and since are those of a naive evaluation, also after a build from the log: %s',
  async (_kind, histories, times) => {
    await fc.assert(
      fc.asyncProperty(histories, efforts, async (history, effort) => {
        const driven = makeProjections()
        await follow(driven, history, effort)
      }),
      { numRuns: times * numRuns },
    )
  },
  timeoutMs,
)

/** The numbers of facts that are applied together. */
const pages = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 })

/** The duration of a slice in milliseconds. 0: a slice is one piece of work. */
const sliceLengths = fc.constantFrom(0, 10)

it(
  'late changes that are applied together give the members of a naive evaluation, and search before they are applied',
  async () => {
    const searchNext = jest.spyOn(EntityChanges.prototype, 'searchNext')
    const nextOf = jest.spyOn(EntityChanges.prototype, 'nextOf')
    // Applies all facts of a page together, even if the estimate is that they do not fit into a slice.
    jest.spyOn(Pace.prototype, 'piecesIn').mockReturnValue(100)
    await fc.assert(
      fc.asyncProperty(
        lateHistories,
        pages,
        sliceLengths,
        efforts,
        async (history, sizes, ms, effort) => {
          const log = withLogTime(history)
          const driven = makeProjections(undefined, undefined, ms)
          for (let at = 0, page = 0; at < history.length; page += 1) {
            const size = sizes[page % sizes.length] ?? 1
            const turns = effort[page % effort.length] ?? 0
            const facts = history.slice(at, at + size)
            // In the page of its creation, an entity has only the few facts of this page.
            const isCreated = facts.some(({ type }) => type === 'EntityCreated')
            nextOf.mockClear()
            await driven.addTogether(facts, async () => {
              if (!isCreated) expect(nextOf).not.toHaveBeenCalled()
              await driven.work(turns)
              nextOf.mockClear()
            })
            at += size
            const isDefined = facts.some(({ type }) => type === 'SegmentDefined')
            if (isDefined || turns === Infinity) await driven.settle()
            await compareMembers(driven, log.slice(0, at))
          }
          await driven.settle()
          await compareMembers(driven, log, 'all')
        },
      ),
      { numRuns: 12 * numRuns },
    )
    expect(searchNext).toHaveBeenCalled()
  },
  timeoutMs,
)

async function follow(
  driven: DrivenProjections,
  history: readonly LogFact[],
  effort: readonly number[],
): Promise<void> {
  const log = withLogTime(history)
  for (const [index, fact] of history.entries()) {
    driven.add(fact)
    const turns = effort[index % effort.length] ?? 0
    if (turns === Infinity) await driven.settle()
    else await driven.work(turns)
    await compareMembers(driven, log.slice(0, index + 1))
  }
  await driven.settle()
  await compareMembers(driven, log, 'all')
  await driven.rebuild()
  await compareMembers(driven, log, 'all')
}
