import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { auditFiles } from '../../../../support/read-model/audit-files.js'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import { applicationId, migrations } from '../../../../../src/adapters/sqlite/file/schema.js'
import type { CommittedFiles } from '../../../../../src/adapters/sqlite/read-model/committed-read-model.js'
import { FactsFile } from '../../../../support/segments/facts-file.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import { entityOf, recordedAtOf, type LogFact } from '../../../../support/segments/log-facts.js'
import { randomHistories } from '../../../../support/segments/random-histories.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const numRuns = quickOrThorough({ quick: 3, thorough: 40 })
const timeoutMs = quickOrThorough({ quick: 120_000, thorough: 900_000 })

/** The number of background steps after each fact: some steps of a backfill, all steps, or none. */
const efforts = fc.array(fc.constantFrom(0, 1, 2, Infinity), { minLength: 1, maxLength: 20 })
/** The facts after which their entities are erased. */
const erasures = fc.array(fc.nat({ max: 60 }), { maxLength: 3 })
const given = fc.tuple(randomHistories, efforts, erasures, fc.boolean(), fc.boolean())

it(
  'an audit finds no difference, wherever background work and backfills were interrupted',
  async () => {
    const path = join(folder(), 'read-model.db')
    let runs = 0
    let folded = 0
    await fc.assert(
      fc.asyncProperty(given, async ([history, effort, erased, isDone, isEmbedded]) => {
        runs += 1
        const readModel = `${path}-${String(runs)}`
        const place = { readModel, factsFile: isEmbedded ? `${readModel}-facts` : undefined }
        await follow(place, history, [effort, erased], isDone)
        const account = await auditFiles(place, 100)
        folded += account.folded
        expect(account.differences).toEqual([])
        if (isDone) expect(account.skipped).toEqual([])
      }),
      { numRuns, endOnFailure: true },
    )
    // A few histories may create no entity. The tests of damage prove that an audit compares entities.
    expect(folded).toBeGreaterThan(quickOrThorough({ quick: -1, thorough: 40 }))
  },
  timeoutMs,
)

/** Creates a file with the header and the tables of an embedded store. */
function factsFileAt(path: string): FactsFile {
  const facts = new FactsFile(path)
  const db = openDatabase(path)
  db.exec(migrations.join(';').replaceAll('CREATE TABLE', 'CREATE TABLE IF NOT EXISTS'))
  db.exec(`PRAGMA application_id = ${String(applicationId)}`)
  db.exec(`PRAGMA user_version = ${String(migrations.length)}`)
  db.close()
  return facts
}

function drivenAt({ readModel, factsFile }: CommittedFiles): DrivenProjections {
  const facts = factsFile === undefined ? undefined : factsFileAt(factsFile)
  return new DrivenProjections(readModel, undefined, undefined, facts)
}

async function follow(
  files: CommittedFiles,
  history: readonly LogFact[],
  [effort, erasedAt]: readonly [readonly number[], readonly number[]],
  isDone: boolean,
): Promise<void> {
  const driven = drivenAt(files)
  try {
    const erased = new Set<string>()
    for (const [index, fact] of history.entries()) {
      const name = entityOf({ ...fact, logTime: 0 }) ?? ''
      if (erased.has(name)) continue
      driven.add(fact)
      const entityId = driven.entityIdOf(name)
      if (erasedAt.includes(index) && entityId !== undefined) {
        erased.add(name)
        driven.erase(entityId, new Date(recordedAtOf(fact) ?? 0).toISOString())
      }
      const turns = effort[index % effort.length] ?? 0
      if (turns === Infinity) await driven.settle()
      else await driven.work(turns)
    }
    if (isDone) await driven.settle()
  } finally {
    driven.close()
  }
}
