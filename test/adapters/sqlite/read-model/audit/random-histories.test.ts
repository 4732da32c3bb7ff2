import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { auditReadModel } from '../../../../../src/adapters/sqlite/read-model/audit/audit-read-model.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import type { LogFact } from '../../../../support/segments/log-facts.js'
import { randomHistories } from '../../../../support/segments/random-histories.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const numRuns = quickOrThorough({ quick: 6, thorough: 40 })
const timeoutMs = quickOrThorough({ quick: 120_000, thorough: 900_000 })

/** What is done by itself after a fact: some steps of a build, all of it, or nothing. */
const efforts = fc.array(fc.constantFrom(0, 1, 2, Infinity), { minLength: 1, maxLength: 20 })

it(
  'finds no difference in a read model, wherever its work and its builds were broken off',
  async () => {
    const path = join(folder(), 'read-model.db')
    let runs = 0
    let folded = 0
    await fc.assert(
      fc.asyncProperty(randomHistories, efforts, fc.boolean(), async (history, effort, isDone) => {
        runs += 1
        const place = { readModel: `${path}-${String(runs)}`, factsFile: undefined }
        await follow(place.readModel, history, effort, isDone)
        const account = await auditReadModel(place, 100)
        folded += account.folded
        expect(account.differences).toEqual([])
        if (isDone) expect(account.passedOver).toEqual([])
      }),
      { numRuns },
    )
    expect(folded).toBeGreaterThan(quickOrThorough({ quick: 1, thorough: 40 }))
  },
  timeoutMs,
)

async function follow(
  path: string,
  history: readonly LogFact[],
  effort: readonly number[],
  isDone: boolean,
): Promise<void> {
  const driven = new DrivenProjections(path)
  try {
    for (const [index, fact] of history.entries()) {
      driven.add(fact)
      const turns = effort[index % effort.length] ?? 0
      if (turns === Infinity) await driven.settle()
      else await driven.work(turns)
    }
    if (isDone) await driven.settle()
  } finally {
    driven.close()
  }
}
