import { it } from '@jest/globals'
import fc from 'fast-check'
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
