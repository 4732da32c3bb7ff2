import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { quickOrThorough } from '../../../../../support/thoroughness.js'
import { crowds } from '../../../../../support/segments/crowded-histories.js'
import {
  drivenProjections,
  type DrivenProjections,
} from '../../../../../support/segments/driven-projections.js'
import type { LogFact } from '../../../../../support/segments/log-facts.js'
import { randomHistories } from '../../../../../support/segments/random-histories.js'
import { checkBuilds, factsOf } from '../../../../../support/segments/published-facts.js'
import { checkPublishedChanges } from '../../../../../support/segments/published-changes.js'

const makeProjections = drivenProjections()
const numRuns = quickOrThorough({ quick: 6, thorough: 100 })
/** The number of published changes depends on the seed, and varies more with few runs. */
const fewestPublished = quickOrThorough({ quick: 1, thorough: 250 })

/** The background work after a fact: a number of steps, or all work and then publishing. */
const efforts = fc.array(fc.constantFrom(0, 1, Infinity, 'publish' as const), {
  minLength: 1,
  maxLength: 20,
})

it('changes are published once and in order, also by a process that backfills late or rebuilds from the log', async () => {
  let published = 0
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(randomHistories, crowds, crowds),
      efforts,
      async (history, effort) => {
        const driven = makeProjections()
        published += await follow(driven, history, effort)
      },
    ),
    { numRuns },
  )
  expect(published).toBeGreaterThanOrEqual(fewestPublished)
})

async function follow(
  driven: DrivenProjections,
  history: readonly LogFact[],
  effort: readonly (number | 'publish')[],
): Promise<number> {
  for (const [index, fact] of history.entries()) {
    driven.add(fact)
    const turns = effort[index % effort.length] ?? 0
    if (turns === 'publish') await driven.settle()
    else await driven.work(turns)
  }
  await driven.settle()
  const log = factsOf(driven.log)
  checkBuilds(log)
  const published = checkPublishedChanges(log)
  // The rebuilt read model compares the published changes with the changes that it derives.
  await driven.rebuild()
  expect((await driven.query('unpublished', { except: [] })).streams).toEqual([])
  return published
}
