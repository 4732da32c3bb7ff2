import { afterEach, expect, it } from '@jest/globals'
import { join } from 'node:path'
import { openDatabase, type Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { auditedSegments } from '../../../../../src/adapters/sqlite/read-model/audit/audited-segments.js'
import { Differences } from '../../../../../src/adapters/sqlite/read-model/audit/differences.js'
import {
  FoldedEntities,
  PickedEntities,
} from '../../../../../src/adapters/sqlite/read-model/audit/fold-entities.js'
import { ReadModelTables } from '../../../../../src/adapters/sqlite/read-model/read-model-tables.js'
import { SegmentProjection } from '../../../../../src/adapters/sqlite/read-model/segments/segment-projection.js'
import { changeCounts, changeEntries } from '../../../../support/read-model/change-entries.js'
import {
  DrivenProjections,
  placesOfAFact,
} from '../../../../support/segments/driven-projections.js'
import { SmallLog } from '../../../../support/segments/small-log.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const ada = 2 * placesOfAFact
const { log } = new SmallLog()
  .defined('2026-01-01T00:00:00.000Z', 'active', { event: 'login', within: '30d' })
  .created('2026-01-02T00:00:00.000Z', { plan: 'paid' })
  .event('login', '2026-01-03T00:00:00.000Z')
  .event('login', '2026-01-04T00:00:00.000Z')

let db: Database | undefined

afterEach(() => {
  db?.close()
})

/**
 * Returns the differences that the replay of single entities finds, as if the rebuilt read model had all
 * faults too.
 */
async function differencesAfter(damage: (db: Database) => void): Promise<readonly string[]> {
  const path = join(folder(), 'read-model.db')
  const driven = new DrivenProjections(path)
  await driven.settleAfterEach(log)
  driven.close()
  db = openDatabase(path)
  damage(db)
  const tables = new ReadModelTables(db, undefined)
  const picked = new PickedEntities(tables, 10)
  for (const fact of tables.facts.page(0, Number.MAX_SAFE_INTEGER, { facts: 100, bytes: 1e6 })) {
    picked.add(fact)
  }
  const segments = new SegmentProjection(tables, true, () => undefined)
  const audited = auditedSegments(segments)
  const folds = new FoldedEntities({ tables, segments }, audited, picked.logTime)
  const found = new Differences()
  for (const entity of picked.all) folds.compare(entity, found)
  return found.lines
}

it.each<[string, (db: Database) => void, readonly string[]]>([
  ['no difference in an undamaged read model', () => undefined, []],
  [
    'an event that is missing in the log of its entity',
    (damaged) => {
      changeEntries(damaged, ada, (entry) => (entry.position > 3 * placesOfAFact ? [] : [entry]))
    },
    ['entity ada: its log (item 3 of 3): not as folded'],
  ],
  [
    'a wrong number of events',
    (damaged) => {
      changeCounts(damaged, ada, (counts) => ({ ...counts, eventCount: 3 }))
    },
    ['entity ada: event_count is 3, folded 2'],
  ],
  [
    'wrong properties',
    (damaged) => {
      damaged.exec(`UPDATE entities SET properties = '{"plan":"free"}'`)
    },
    ['entity ada: properties: not as folded'],
  ],
  [
    'a wrong state',
    (damaged) => {
      damaged.exec('DELETE FROM states')
    },
    [
      'entity ada: its membership in active version 1, in its state, is none, folded since 2026-01-03T00:00:00.000Z',
      'entity ada: events in its state (item 1 of 1): not as folded',
    ],
  ],
])('the replay of single entities finds %s', async (_, damage, differences) => {
  expect(await differencesAfter(damage)).toEqual(differences)
})
